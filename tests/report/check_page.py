"""Usage: check_page.py ROWCAST STORE PAGE SHOTS: a large page in a browser.  Prints TAP."""
import csv
import os
import sys
import traceback
from pathlib import Path

import numbers_of as numbers
from browser import Browser

rowcast, store, page, shots = sys.argv[1:5]
url = Path(page).as_uri()
os.makedirs(shots, exist_ok=True)
browser = Browser(os.environ["tmp"])
rows = numbers.read_rows(rowcast, store)
tests = []

READ_ROWS = """
  const keys = [...document.querySelectorAll('#head button')].map(b => b.dataset.sort);
  return [...document.querySelectorAll('#rows tr.row')].map(tr =>
    Object.fromEntries([...tr.children].map((c, i) => [keys[i], c.textContent])));"""
CONTRAST = r"""
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const lit = c => { const f = c.slice(0, 3).map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const memo = new Map();
  const ground = e => { if (!e) return [255, 255, 255, 1];
    if (memo.has(e)) return memo.get(e);
    const c = rgba(getComputedStyle(e).backgroundColor), b = c[3] === 1 ? c : ground(e.parentElement);
    const out = [0, 1, 2].map(i => c[i] * c[3] + b[i] * (1 - c[3])).concat(1); memo.set(e, out); return out; };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), bad = []; let n = 0;
  for (let t; (t = walk.nextNode());) {
    const e = t.parentElement, s = getComputedStyle(e);
    if (!t.data.trim() || e.closest('script, style, noscript, option') || !e.getClientRects().length || s.visibility === 'hidden') continue;
    if (e.disabled) continue;
    const fore = rgba(e.closest('svg') ? s.fill : s.color), back = ground(e.closest('svg') ? e.closest('svg').parentElement : e);
    const mixed = [0, 1, 2].map(i => fore[i] * fore[3] + back[i] * (1 - fore[3]));
    const [a, b] = [lit(mixed), lit(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    n++;
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${e.tagName} ${e.className.baseVal ?? e.className} "${t.data.trim().slice(0, 40)}"`);
  }
  return { n, bad: bad.slice(0, 10) };"""


def test(f):
    tests.append(f)
    return f


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def wait_for(script, what):
    for _ in range(50):
        if browser.js(script):
            return
        browser.js("return new Promise(r => setTimeout(r, 20))")
    raise AssertionError(what)


def fresh(hash="", width=1280, **look):
    browser.open("about:blank")
    browser.look(width, **look)
    browser.open(url + hash)


def table():
    return browser.js(READ_ROWS)


def names():
    return [r["name"] for r in table()]


def set_filter(text):
    browser.js("const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input')); f.focus()")
    browser.keys(text)


def count():
    return browser.js("return document.getElementById('count').textContent")


def page_arenas():
    return browser.js("""return [...document.querySelectorAll('tr[data-setting]')].filter(tr => tr.closest('.settings')).map(tr => ({
        slug: tr.dataset.setting, label: tr.cells[0].firstChild.data, main: tr.className === 'main',
        reference: (tr.cells[0].querySelector('small') || {textContent: ''}).textContent.replace('orders of ', ''),
        ...Object.fromEntries([...tr.querySelectorAll('[data-of]')].map(td => [td.dataset.of, td.textContent])) }))""")


fresh()
SHOWN = page_arenas()
ARENAS = numbers.arenas(rows, {numbers.key_of(a["label"]): a["reference"] for a in SHOWN})
MAIN = next(a for a in SHOWN if a["main"])
MAIN_ARENA = ARENAS[numbers.key_of(MAIN["label"])]


@test
def every_arena_of_the_store_is_there():
    check({numbers.key_of(a["label"]) for a in SHOWN} == set(ARENAS), [a["label"] for a in SHOWN], list(ARENAS))


def clear_gains(a):
    """The matrices whose interval is above 1 in the first figure, with its low end; None: it was not drawn for that product."""
    path = os.path.join(os.path.dirname(page), "figures", "" if a["main"] else a["slug"], "gain.csv")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", newline="") as f:
        return {r["matrix"]: float(r["low (x)"]) for r in csv.DictReader(f) if "kernel in the original order" in r["over what"] and float(r["low (x)"]) > 1}


@test
def the_summary_of_each_arena_is_that_of_the_rows_of_query():
    check(len(clear_gains(MAIN)) > 0, "nothing gains")
    for a in SHOWN:
        for name, value in ARENAS[numbers.key_of(a["label"])].standing(clear_gains(a)).items():
            check(numbers.agrees(a[name], value), a["label"], name, a[name], value)


@test
def the_gain_of_the_reference_kernel_is_the_oracle_of_query_summary_speedup():
    import subprocess
    text = subprocess.run([rowcast, "query", store, "-S", "speedup", "-f", "csv", "-w", f"kernel == '{MAIN['reference']}'"], check=True, capture_output=True, text=True).stdout
    lines = {(r["kernel"], r["k"], r["precision"], r.get("c_order", "original")): r for r in csv.DictReader(text.splitlines())
             if r["policy"] == "oracle"}
    seen = 0
    for a in SHOWN:
        line = lines.get((a["reference"], *numbers.key_of(a["label"])[:3]))
        if line is None:
            continue
        seen += 1
        check(numbers.agrees(a["order-geomean"], float(line["geomean"])), a["label"], a["order-geomean"], line["geomean"])
        check(numbers.agrees(a["order-mean"], float(line["mean"])), a["label"], a["order-mean"], line["mean"])
    check(seen > 0, "no arena was compared", list(lines)[:3])


@test
def gains_are_shown_held_out_with_the_plain_ones_beside():
    headlines = browser.js("return JSON.parse(document.getElementById('data').textContent).settings.map(s => s.headline)")
    for a, h in zip(SHOWN, headlines):
        for name in ("order", "plan", "vendor"):
            check(numbers.agrees(a[name + "-held-out"], h[name]["geomean_held_out"]), a["label"], name, a[name + "-held-out"], h[name])


@test
def the_first_screen_has_one_sentence_four_numbers_and_one_figure():
    for width, height in ((390, 844), (1024, 768), (1600, 900)):
        fresh(width=width, height=height)
        shown = browser.js("return [...document.querySelectorAll('.tiles > div')].map(e => [e.dataset.tile, e.querySelector('dd').textContent])")
        check([t[0] for t in shown] == ["vendor", "plan", "over5", "break-even"], shown)
        for name in ("vendor", "plan"):
            check(dict(shown)[name] == MAIN[name + "-held-out"], width, shown, MAIN)
        check(browser.js("return document.querySelectorAll('#answer .lead').length") == 1)
        place = browser.js("return ['#sentence', '.tiles', '#figure-gain svg'].map(s => document.querySelector(s).getBoundingClientRect()).map(r => [r.top, r.bottom])")
        check(all(0 < top < height for top, _ in place), width, "not on the first screen", place)
        check(width < 600 or all(bottom < height for _, bottom in place), width, "below the first screen", place)
        browser.shot(f"{shots}/first-{width}.png")


@test
def the_rows_are_those_of_query_in_every_arena():
    for a in SHOWN:
        fresh(f"#product={a['slug']}&sort=-best")
        arena = ARENAS[numbers.key_of(a["label"])]
        shown = table()
        order = sorted(arena.pair, key=lambda m: -arena.pair[m]["best"]["t"])[:50]
        check(len(shown) == min(50, len(arena.pair)), len(shown))
        check({r["name"] for r in shown} == set(order), "not the slowest 50")
        for r in shown:
            expected = arena.row(r["name"])
            for key in r:
                if key in ("choice", "loss"):
                    continue
                value = expected[key]
                same = r[key] == value if isinstance(value, str) else numbers.agrees(r[key], value)
                check(same, a["label"], r["name"], key, r[key], value)


@test
def every_column_sorts_both_ways():
    fresh()
    keys = browser.js("return [...document.querySelectorAll('#head button')].map(b => b.dataset.sort)")
    for key in keys:
        for _ in range(2):
            browser.js("document.querySelector(`[data-sort=${arguments[0]}]`).click()", key)
            sort = browser.js("return document.querySelector(`[data-sort=${arguments[0]}]`).parentElement.ariaSort", key)
            found = [r[key] for r in table()]
            if key in ("name", "order", "kernel", "kind", "choice"):
                expected = sorted(found, reverse=sort == "descending")
            else:
                values = [numbers.number(x) for x in found]
                there = [x for x in values if x is not None]
                check(values[:len(there)] == there, key, "a missing number is not last")
                expected, found = sorted(there, reverse=sort == "descending"), there
            check(sort in ("ascending", "descending") and found == expected, key, sort, found[:5])
        check(browser.js("return document.querySelectorAll('#head [aria-sort=ascending], #head [aria-sort=descending]').length") == 1)
    whole = [MAIN_ARENA.row(m) for m in MAIN_ARENA.pair]
    fresh("#sort=nnz")
    smallest = sorted(r["nnz"] for r in whole)[:50]
    check([numbers.number(r["nnz"]) for r in table()] == smallest, "entries, over all pages")


@test
def the_filter_is_that_of_the_columns():
    whole = [MAIN_ARENA.row(m) for m in MAIN_ARENA.pair]
    cases = [("rows>10k density<0.001", lambda r: r["rows"] > 10000 and r["density"] < 0.001),
             ("name~snap", lambda r: "snap" in r["name"].lower()), ("order!=csr", lambda r: r["order"] != "csr"),
             ('kind~"directed graph" gain>=1.01', lambda r: "directed graph" in r["kind"].lower() and (r["gain"] or 0) >= 1.01),
             ("nnz<=5e3", lambda r: r["nnz"] <= 5000), ("name~s*o/c?", None),
             ("gnutella", lambda r: "gnutella" in (r["name"] + r["kind"] + r["kernel"] + r["order"]).lower())]
    fresh()
    for text, fits in cases:
        set_filter(text)
        if fits:
            n = sum(fits(r) for r in whole)
            check(count().startswith(f"{n:,} of "), text, n, count())
            if n == 0:
                check("No matrix fits" in browser.js("return document.getElementById('rows').textContent"))
            own = [r["orders"] for r in whole if fits(r) and r["orders"]]
            foot = browser.js("const td = document.querySelector('#foot [data-of=orders]'); return [td.firstChild.data, td.lastChild.textContent]")
            check(numbers.agrees(foot[0], numbers.geomean(own)), text, foot, numbers.geomean(own))
            check(numbers.agrees(foot[1], sum(own) / len(own) if own else None), text, foot)


@test
def a_wrong_filter_says_what_is_wrong_and_keeps_the_rows():
    fresh()
    before = names()
    for text, word in (("rws>3", "no column"), ("rows>abc", "no number"), ("rows>", "needs a value"), ("name<3", "text"), ("rows~3", "number")):
        set_filter(text)
        check(word in browser.js("const e = document.getElementById('filter-error'); return e.hidden ? '' : e.textContent"), text)
        check(browser.js("return document.getElementById('filter').getAttribute('aria-invalid')") == "true", text)
    set_filter("rows>0")
    check(browser.js("return document.getElementById('filter-error').hidden") and names() == before)


@test
def pages_follow_each_other():
    fresh("#sort=name")
    seen = []
    while True:
        seen += names()
        if browser.js("return document.getElementById('next').disabled"):
            break
        browser.click("#next")
    check(seen == sorted(MAIN_ARENA.pair), len(seen), len(MAIN_ARENA.pair))
    browser.click("#previous")
    check(names() == seen[(len(seen) - 1) // 50 * 50 - 50:][:50])


@test
def a_row_opens_and_shows_every_arena_of_its_matrix():
    fresh()
    name = names()[1]
    browser.js("document.querySelectorAll('#rows tr.row')[1].cells[3].click()")
    lines = browser.js("""return [...document.querySelectorAll('.detail tbody tr')].map(tr => [...tr.cells].map(c => c.textContent))""")
    expected = [a for a in SHOWN if name in ARENAS[numbers.key_of(a["label"])].pair]
    check([line[0] for line in lines] == [a["label"] for a in expected], lines)
    for line, a in zip(lines, expected):
        p = ARENAS[numbers.key_of(a["label"])].pair[name]
        check(line[1] == p["best"]["kernel"] + " / " + p["best"]["policy"], line)
        check(numbers.agrees(line[2], p["best"]["t"] / 1000) and numbers.agrees(line[4], p["csr"]["t"] / 1000), line)
    pictures = browser.js("""return Promise.all([...document.querySelectorAll('.detail img')].map(i => i.decode().then(() => [i.naturalWidth, i.naturalHeight])))""")
    check(all(0 < x <= 256 for size in pictures for x in size), pictures)
    link = browser.js("const a = document.querySelector('.detail h3 a'); return a && a.href")
    collection = browser.js("return JSON.parse(document.getElementById('data').textContent).matrix.ssid")
    ssid = dict(zip(browser.js("return JSON.parse(document.getElementById('data').textContent).matrix.name"), collection))
    check(link == (f"https://sparse.tamu.edu/{name}" if ssid[name] > 0 else None), link)
    without = next((m for m in MAIN_ARENA.pair if not ssid[m] > 0), None)
    if without:
        fresh("#matrix=" + without)
        check(browser.js("return document.querySelector('.detail h3').firstChild.data") == without)
        check(not browser.js("return document.querySelector('.detail h3 a')"), without)


@test
def the_keyboard_is_enough():
    fresh("#matrices")
    browser.js("document.querySelector('#sections a:last-child').focus()")
    browser.keys("Tab")
    check(browser.js("return document.activeElement.id") == "setting")
    browser.js("document.getElementById('filter').focus()")
    browser.keys("rows>1k")
    for _ in range(12):  # help, the scrolling region, then the headings
        browser.keys("Tab")
        if browser.js("return document.activeElement.dataset.sort") == "best":
            break
    check(browser.js("return document.activeElement.dataset.sort") == "best", "the heading is not reached")
    check(browser.js("return getComputedStyle(document.activeElement).outlineStyle") == "solid", "the focus is not seen")
    browser.keys("Enter")
    check(browser.js("return document.activeElement.dataset.sort + document.activeElement.parentElement.ariaSort") == "bestdescending")
    for _ in range(30):
        browser.keys("Tab")
        if browser.js("return document.activeElement.hasAttribute('aria-expanded')"):
            break
    name = browser.js("return document.activeElement.textContent")
    check(name == names()[0], name)
    browser.keys("Enter")
    check(browser.js("return document.querySelector('.detail h3').firstChild.data") == name)
    check(browser.js("return document.activeElement.textContent + document.activeElement.ariaExpanded") == name + "true")
    browser.keys("Escape")
    check(not browser.js("return document.querySelector('.detail')"))
    check(browser.js("return document.activeElement.textContent + document.activeElement.ariaExpanded") == name + "false")


@test
def the_answer_comes_first_and_follows_the_choice_of_k_and_precision():
    fresh()
    answers = browser.js("const d = JSON.parse(document.getElementById('data').textContent); return [d.main, d.settings.map(s => s.answer.sentence)]")
    first = "return document.querySelector('#sentence').textContent"
    check(answers[1][answers[0]] and browser.js(first) == answers[1][answers[0]], browser.js(first))
    for i, text in enumerate(answers[1]):
        browser.js("const s = document.getElementById('setting'); s.selectedIndex = arguments[0]; s.dispatchEvent(new Event('change'))", i)
        check(browser.js(first) == text and SHOWN[i]["label"] in count(), text)


@test
def the_table_fits_a_window_of_1240_pixels():
    fresh(width=1240)
    check(browser.js("const t = document.getElementById('table-scroll'); return t.scrollWidth <= t.clientWidth"), "it scrolls")
    shown = browser.js("return [...document.querySelectorAll('#head button')].filter(b => b.getClientRects().length).map(b => b.dataset.sort)")
    check("breakeven" in shown and "gain" in shown, shown)


@test
def the_address_restores_what_was_seen():
    fresh()
    other = next(a for a in SHOWN if not a["main"])
    browser.js("const s = document.getElementById('setting'); s.selectedIndex = arguments[0]; s.dispatchEvent(new Event('change'))",
               SHOWN.index(other))
    set_filter("rows>50 cols>50")
    browser.click("[data-sort=density]")
    browser.click("#next")
    browser.js("document.querySelectorAll('#rows tr.row')[7].cells[3].click()")
    before = table(), browser.js("return document.querySelector('.detail').textContent"), count()
    address = browser.js("return location.hash")
    fresh(address)
    after = table(), browser.js("return document.querySelector('.detail').textContent"), count()
    check(before == after and other["label"] in count(), address)
    check(browser.js("return document.getElementById('filter').value") == "rows>50 cols>50")
    browser.js("location.hash = '#sort=name'")
    wait_for("return document.querySelector('#rows tr.row th').textContent.length && !document.querySelector('.detail')", "no change")
    check(names()[0] == min(MAIN_ARENA.pair), names()[0])


@test
def figures_have_a_caption_and_files_that_are_there():
    fresh()
    figures = browser.js("""return [...document.querySelectorAll('figure[id^=figure-]')].map(f => ({ title: f.querySelector('h3').textContent,
        caption: f.querySelector('figcaption').textContent, svg: f.querySelector('svg').getBoundingClientRect().height,
        links: [...f.querySelectorAll('a')].map(a => a.getAttribute('href')) }))""")
    for f in figures:
        check(len(f["title"]) > 3 and len(f["caption"]) > 20 and f["svg"] > 50 and len(f["links"]) == 3, f)
        for link in f["links"]:
            check(os.path.getsize(os.path.join(os.path.dirname(page), link)) > 50, link)
    left_out = browser.js("return [...document.querySelectorAll('.missing')].map(p => p.textContent)")
    check(figures or left_out, "neither figures nor why there are none")
    ids = browser.js("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    check(len(ids) == len(set(ids)), "an id stands twice", [i for i in ids if ids.count(i) > 1][:5])


READ_FIGURES = """return [...document.querySelectorAll('figure[data-figure]')].map(f => ({ name: f.dataset.figure, slug: f.dataset.setting,
    title: f.querySelector('h3').textContent, caption: f.querySelector('figcaption').textContent, svg: f.querySelector('svg').outerHTML,
    links: [...f.querySelectorAll('a')].map(a => a.getAttribute('href')) }))"""


@test
def the_choice_of_k_and_precision_switches_every_figure():
    fresh()
    before = {f["name"]: f for f in browser.js(READ_FIGURES)}
    check(len(before) >= 12, sorted(before))
    check(len(SHOWN) > 1, "one product only")
    switched = set()
    for i, a in enumerate(SHOWN):
        if a["main"]:
            continue
        browser.js(f"const s = document.getElementById('setting'); s.value = '{i}'; s.dispatchEvent(new Event('change'))")
        after = {f["name"]: f for f in browser.js(READ_FIGURES)}
        check(set(after) == set(before), a["label"], sorted(after))
        for name, f in after.items():
            if f["slug"] != a["slug"]: # the reason why it has none
                check(f["title"] == before[name]["title"] + ", at " + MAIN["label"] or f["slug"] != MAIN["slug"], a["label"], f["title"])
                check(f["svg"] == before[name]["svg"] and f["caption"].startswith(f"Not at {a['label']}: "), a["label"], name, f["slug"], f["caption"])
                continue
            switched.add(name)
            # of the first screen the choice says it
            check((a["label"] in f["caption"]) == (name != "gain"), a["label"], name, f["slug"], f["caption"])
            check(name == "profile" or f["svg"] != before[name]["svg"], a["label"], name, "is the same drawing")
            for link in f["links"]:
                check(a["slug"] + "/" in link and os.path.getsize(os.path.join(os.path.dirname(page), link)) > 50, link)
    check(switched == set(before), "never switched", set(before) - switched)
    fresh()
    check({f["name"]: f["svg"] for f in browser.js(READ_FIGURES)} == {n: f["svg"] for n, f in before.items()}, "not as before")


def look_at(dark):
    scheme = "dark" if dark else "light"
    for width in (360, 1280):
        fresh(width=width, dark=dark)
        browser.js("document.querySelectorAll('details').forEach(d => d.open = true)")
        browser.js("document.querySelector('#rows tr.row th button').click()")
        size = browser.js("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        check(size[0] <= size[1] == width, width, "the page is wider than the window", size)
        wide = browser.js("""return [...document.querySelectorAll('main *, header *, footer *')].filter(e => !e.closest('.scroll, .plot, svg, nav, noscript')
            && e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className).slice(0, 5)""")
        check(not wide, width, "beyond the edge:", wide)
        contrast = browser.js(CONTRAST)
        check(contrast["n"] > 100 and not contrast["bad"], width, scheme, contrast)
        fresh(width=width, dark=dark)
        browser.shot(f"{shots}/page-{width}-{scheme}.png", whole=True)
        browser.js("document.getElementById('matrices').scrollIntoView()")
        browser.shot(f"{shots}/matrices-{width}-{scheme}.png")


@test
def it_fits_a_phone_and_a_desktop_and_text_is_readable_in_light():
    look_at(dark=False)


@test
def it_fits_a_phone_and_a_desktop_and_text_is_readable_in_dark():
    look_at(dark=True)


@test
def on_paper_there_are_no_controls_and_the_ink_is_dark():
    fresh(dark=True, media="print")
    hidden = browser.js("return ['.controls', '.pages', 'header nav', '.files'].map(s => document.querySelector(s)).filter(e => e && e.getClientRects().length).length")
    check(hidden == 0, hidden)
    check(browser.js("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)")


@test
def without_scripts_a_reader_is_told_where_the_numbers_and_figures_are():
    fresh(scripts=False)
    seen = browser.js("""const shown = s => { const e = document.querySelector(s); return Boolean(e && e.getClientRects().length); };
        return [shown('noscript p'), shown('#explorer'), [...document.querySelectorAll('noscript a')].map(a => a.getAttribute('href'))]""")
    check(seen == [True, False, ["report.json", "figures/"]], seen)
    check(browser.js("return document.querySelector('noscript svg').getBoundingClientRect().height") > 50, "no figure")
    for link in seen[2]:
        check(os.path.exists(os.path.join(os.path.dirname(page), link)), link)
    browser.look(1280)


@test
def the_document_beside_the_page_is_that_of_the_page():
    import json
    fresh()
    with open(os.path.join(os.path.dirname(page), "report.json"), encoding="utf-8") as f:
        check(json.load(f) == browser.js("return JSON.parse(document.getElementById('data').textContent)"))


@test
def the_console_is_silent():
    said = browser.console()
    check(not said, said)


@test
def no_request_leaves_the_page():
    asked = browser.requests()
    outside = [a for a in asked if not a.startswith((url, "data:", "about:"))]
    check(asked and not outside, outside[:5])


browser_start = browser.requests()  # those of the window itself, and of the first page
fresh()
failed = 0
for number_of, f in enumerate(tests, 1):
    try:
        f()
        print(f"ok {number_of} - {f.__name__.replace('_', ' ')}", flush=True)
    except Exception as e:
        failed = 1
        print(f"not ok {number_of} - {f.__name__.replace('_', ' ')}")
        for line in (str(e) if isinstance(e, AssertionError) else traceback.format_exc()).splitlines():
            print("# " + line[:2000], flush=True)
print(f"1..{len(tests)}")
browser.close()
