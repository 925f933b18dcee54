"""Clients of jobs/clients.py compute the same with and without plans: torch_clients.py CLIENTS.PY"""
import subprocess
import sys

CLIENTS = ["gradient"]
LAYERS = ["gcn-edges", "gcn-csr", "sage-edges", "sage-csr", "gin-edges", "gin-csr", "gat-edges", "gatv2-edges"]


def main():
    done = subprocess.run([sys.executable, sys.argv[1], "--module", "--device", "cpu", "--sizes", "120", "--features", "8", "--epochs", "8",
                           *CLIENTS, *LAYERS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in done.stdout.splitlines() if line.startswith("|")]
    at = rows[0].index("losses differ by")
    found = [(row[0], row[1]) for row in rows[2:]]
    assert sorted(found) == sorted((name, graph) for name in CLIENTS + LAYERS for graph in ("communities", "powerlaw")), done.stdout
    for row in rows[2:]:
        assert len(row) == len(rows[0]) and float(row[at]) < 1e-4, row
    for name in LAYERS:
        assert done.stdout.count(f"{name}: layers first, second\n") == 2, (name, done.stdout)


if __name__ == "__main__":
    main()
