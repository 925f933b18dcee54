"""The page of jobs/solvers.py, from its lines: the answer, then what it rests on."""
import math
from statistics import geometric_mean

import solver_cases


HOW = ("Whole solves by a clock on the wall, plans, orders and graphs included. Cases of Python have loaded kernels before, by a "
       "small system. Systems that are generated or have no values are Laplacians plus 1e-4. Gains are seconds alone over "
       "seconds with rowcast.")


def number(value, digits=3):
    return f"{value:.{digits}g}" if value < 1000 else f"{value:,.0f}"


def good(lines):
    """Lines of whole cases."""
    return [line for line in lines if "error" not in line]


def of_group(lines, group):
    names = [case.name for case in solver_cases.CASES if case.group == group]
    return [line for line in good(lines) if line["case"] in names]


def of_case(lines, name):
    return [line for line in good(lines) if line["case"] == name]


def apart(lines):
    """How far processes of one way are from each other, which is what gains can be trusted to."""
    found = sorted(max(line[way]["runs"]) / min(line[way]["runs"]) - 1 for line in lines for way in ("alone", "with")
                   if len(line[way]["runs"]) > 1)
    return (f" Processes of one way differ by {100 * found[len(found) // 2]:.0f} % in the median and "
            f"{100 * found[-1]:.0f} % at most."
            if found else "")


def inside(lines):
    """What a step and its product gain, where all of the lines say that: those of before do not."""
    if not all(key in line[way] for line in lines for way in ("alone", "with") for key in ("step_s", "product_s")):
        return ""
    step, product = (geometric_mean(line["alone"][key] / line["with"][key] for line in lines) for key in ("step_s", "product_s"))
    return f"; a step {step:.2f}, its product {product:.2f}"


def answer(lines):
    """What one asks first, where there is something to say."""
    said = []
    under = of_group(lines, solver_cases.PRELOADED)
    if under:
        gains = [line["gain"] for line in under]
        said.append(f"Under the drop-in {len(gains)} whole solves are {geometric_mean(gains):.2f} times as fast in geometric "
                    f"mean: {min(gains):.2f} to {max(gains):.2f}." + apart(under))
    for name, text, cost in (("plan-cg", "Conjugate gradients in a CUDA graph with plans gain", "plan"),
                             ("plan-pdhg", "PDHG with a plan for A and A' gains", "plan"),
                             ("order-cg", "Renumbered first, shuffled systems with a plan gain", "order"),
                             ("both-cg", "Renumbered and with a plan, shuffled systems gain", "order and plan")):
        found = [line for line in of_case(lines, name) if name.startswith("plan") or "shuffle" in line["system"]]
        if found:
            said.append(f"{text} {geometric_mean(line['gain'] for line in found):.2f} on {len(found)} "
                        f"system{'s' if len(found) > 1 else ''}, {cost} included{inside(found)}.")
    return " ".join(said) or "No solve is finished yet."


def cusparse_of(value):
    return f"{value // 1000}.{value % 1000 // 100}.{value % 100}"


def cuda_of(value):
    return value if isinstance(value, str) else f"{value // 1000}.{value % 1000 // 10}"


def versions(lines):
    """Cards, libraries, days."""
    runs = [line[way] for line in good(lines) for way in ("alone", "with")]
    found = []
    for key, name, text in (("device", "", str), ("cuda", "CUDA ", cuda_of), ("cusparse", "cuSPARSE ", cusparse_of),
                            ("cupy", "CuPy ", str), ("torch", "PyTorch ", str), ("rowcast", "rowcast ", str)):
        values = sorted({text(run[key]) for run in runs if run.get(key) is not None})
        found += [name + " and ".join(values)] if values else []
    days = sorted({line["date"] for line in good(lines)})
    rounds = sorted({len(run["runs"]) for run in runs})
    said = [", ".join(found)] if found else []
    if days:
        said.append(days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}")
    if rounds:
        said.append(f"Medians of {' or '.join(map(str, rounds))} processes each, in turns")
    return ". ".join(said) + "." if said else ""


def summary(lines):
    rows = ["| solver | systems | gain, geometric mean | least | most | not the same |", "| --- " * 6 + "|"]
    for case in solver_cases.CASES:
        found = of_case(lines, case.name)
        if found:
            gains = [line["gain"] for line in found]
            rows.append(f"| `{case.name}` | {len(found)} | {geometric_mean(gains):.2f} | {min(gains):.2f} | {max(gains):.2f} "
                        f"| {sum(not line['same'] for line in found)} |")
    return rows


def of_steps(line):
    """Cells of what is written with rowcast: steps, products, and after how many steps what was made has paid."""
    alone, ours = line["alone"], line["with"]
    if "step_s" not in ours:
        return ""
    cells = [number(way[key] * 1e6) if key in way else "" for key in ("step_s", "product_s") for way in (alone, ours)]
    cost, gain = ours["made_s"] - alone["made_s"], alone["step_s"] - ours["step_s"]
    cells += ["0" if cost <= 0 else f"{math.ceil(cost / gain):,}" if gain > 0 else "never"]
    return " " + " | ".join(cells) + " |"


def row(line):
    alone, ours = line["alone"], line["with"]
    steps = "" if ours["iterations"] is None else number(ours["iterations"], 6)
    others = "" if line["same"] else f" (alone {number(alone['iterations'] or 0, 6)})" if steps else ""
    return (f"| {line['system']} | {line['rows']:,} | {line['entries']:,} | {steps}{others} | {number(alone['seconds'])} "
            f"| {number(ours['seconds'])} | {line['gain']:.2f} | {alone['residual']:.1e} | {ours['residual']:.1e} |"
            + of_steps(line))


def table(lines, case):
    """A heading and the systems of a case."""
    found = of_case(lines, case.name)
    if not found:
        return []
    is_made = "step_s" in found[0]["with"]
    head = "| system | rows | entries | steps | alone, s | with, s | gain | residual alone | with |"
    more = " a step, us | with | a product, us | with | won back after steps |" if is_made else ""
    rows = ["", f"### {case.name}", "", case.text, "", head + more, "| --- " * (14 if is_made else 9) + "|"]
    return rows + [row(line) for line in sorted(found, key=lambda line: line["rows"])]


def notes(lines):
    """What differs, and what failed."""
    found = [f"- `{line['case']}`, {line['system']}: iterations or residuals differ by more than 1 %."
             for line in good(lines) if not line["same"]]
    found += [f"- `{line['case']}`, {line['system']}: `{line['error'].splitlines()[0].replace('`', '')[:120]}`"
              for line in lines if "error" in line]
    return ["", "## Not the same, or failed", ""] + found if found else []


def page(lines):
    """All of it; what stands between the marks is printed, not written."""
    rows = ["# Solvers with and without rowcast", "", "<!-- from jobs/solvers.py --page -->", answer(lines), "",
            versions(lines), ""]
    rows += summary(lines)
    for group in (solver_cases.PRELOADED, solver_cases.WRITTEN):
        tables = [part for case in solver_cases.CASES if case.group == group for part in table(lines, case)]
        rows += ["", f"## {group}", *tables] if tables else []
    rows += notes(lines) + ["", "## How", "", HOW, "<!-- end -->", "", "## Making it again", "",
                            "    jobs/solvers.py --budget 540    # until it ends with 0",
                            "    jobs/solvers.py --page > data/results/solvers.md", "",
                            "[Aimed at and reached](notebook/solvers.md)."]
    return "\n".join(rows) + "\n"
