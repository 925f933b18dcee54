"""Usage: measure_page.py PAGE: how long a page takes to open, to sort, to filter and to open a row."""
import os
import statistics
import sys
from pathlib import Path

from browser import Browser

# to the frame after the one that shows the change
TIME = """
  const act = new Function(arguments[0]);
  return new Promise(done => requestAnimationFrame(() => {
    const start = performance.now();
    act();
    const script = performance.now() - start;
    document.body.getBoundingClientRect();
    requestAnimationFrame(() => setTimeout(() => done([script, performance.now() - start])));
  }));"""

browser = Browser(os.environ["tmp"])
browser.look(1280)
browser.open(Path(sys.argv[1]).as_uri())
print("open: first paint %.0f ms, ready %.0f ms" % tuple(browser.js("""
  return [performance.getEntriesByType('paint')[0].startTime, performance.timing.loadEventEnd - performance.timing.navigationStart]""")))
print("%s matrices" % browser.js("return document.getElementById('count').textContent.split(' ')[0]"))


def measure(what, scripts):
    times = [browser.js(TIME, s) for s in scripts]
    print("%-22s %5.0f ms in the median, %5.0f ms at most; with drawing %5.0f ms at most"
          % (what, statistics.median(t[0] for t in times), max(t[0] for t in times), max(t[1] for t in times)))


keys = browser.js("return [...document.querySelectorAll('#head button')].map(b => b.dataset.sort)")
measure("sort by a column", [f"document.querySelector('[data-sort={k}]').click()" for k in keys for _ in range(2)])
measure("filter", [f"const f = document.getElementById('filter'); f.value = '{t}'; f.dispatchEvent(new Event('input'))"
                   for t in ("m", "matrix", "rows>10k", "rows>10k gain>1.1", "kind~graph", "")])
measure("another product", [f"const a = document.getElementById('setting'); a.selectedIndex = {i}; a.dispatchEvent(new Event('change'))"
                            for i in range(browser.js("return document.getElementById('setting').length"))])
measure("open a row", ["document.querySelectorAll('#rows tr.row th button')[%d].click()" % i for i in (0, 7, 30)])
browser.close()
