"""Usage: check_small.py NAME=PAGE...: pages of small or odd stores in a browser.  Prints TAP.

A file 'expected' beside a page has lines that a reader must see on it."""
import json
import os
import sys
import traceback
from pathlib import Path

import sentences
from browser import CUT, Browser

# What is wrong with the first screen: two names of one thing, numbers or words that stand twice, more than four numbers,
# a figure without a title of its axis or without numbers at it.
SAID_TWICE = """
  const bad = [], data = JSON.parse(document.getElementById('data').textContent);
  const screen = document.getElementById('answer').innerText, setting = data.settings[document.getElementById('setting').value];
  if (!setting) return bad;
  if (/the library|of the vendor/i.test(screen.replace('no library was measured', ''))) bad.push('a second name of the library');
  const tiles = [...document.querySelectorAll('.tiles > div')], labels = tiles.map(t => t.querySelector('dt').innerText);
  if (tiles.length < 1 || tiles.length > 4 || new Set(labels).size !== labels.length) bad.push('tiles ' + labels);
  for (const text of ['no library was measured', 'No other row order was measured', 'alone has times', setting.label])
    if (screen.split(text).length > 2) bad.push('twice: ' + text);
  for (const [column, gain] of [['orders', 'order'], ['gain', 'plan'], ['vendor', 'vendor']]) { // two figures of one thing
    const foot = document.querySelector(`#foot [data-of=${column}]`), said = setting.headline[gain].geomean;
    const found = foot ? Number(foot.firstChild.data.replace(',', '')) : said; // a dash is no number
    if (said === null ? foot && !Number.isNaN(found) : !(Math.abs(found / said - 1) < 2e-3)) bad.push(`${column} below the table is ${found}, above ${said}`);
  }
  for (const svg of document.querySelectorAll('#figure-gain svg')) {
    const texts = [...svg.querySelectorAll('text')].map(t => t.textContent.trim());
    if (!texts.some(t => t.startsWith('gain of the best plan'))) bad.push('no title of the axis');
    const at = texts.indexOf('0'); // the first place of matrices: before it the gains
    if (at < 2 || texts.slice(0, at).some(t => !(Number(t) > 0))) bad.push('one number at the axis of gains: ' + texts);
    if (svg.querySelector('[stroke=white], [fill=white]')) bad.push('a halo');
  }
  return bad;"""
def clear(report):
    """What the first screen says of the last product, which is chosen in the end: gains and losses beyond the errors."""
    for headline in [s["headline"] for s in report["settings"]][-1:]:
        shown = [headline["vendor"]] + [headline["plan"]] * (headline["plan"]["matrices"] > 0)
        yield from (f"clear gain on {g['clear']:,}, clear loss on {g['clear_loss']:,} of {g['matrices']:,}" for g in shown if g["matrices"] > 1)


browser = Browser(os.environ["tmp"])
number_of = 0
for argument in sys.argv[1:]:
    number_of += 1
    name, _, page = argument.partition("=")
    try:
        browser.open("about:blank")
        browser.console(), browser.requests()
        for width in (390, 1024, 1600):
            browser.look(width)
            browser.open(Path(page).as_uri())
            # the first row opens, every column sorts, the filter filters: an alert would make this fail
            cut = browser.js(CUT)
            assert not cut, (width, cut)
            seen = browser.js("""
                const button = document.querySelector('#rows tr.row th button');
                if (button) {
                    button.click();
                    for (const b of document.querySelectorAll('#head button')) document.querySelector(`[data-sort=${b.dataset.sort}]`).click();
                    for (const o of document.getElementById('setting').options) {
                        o.selected = true;
                        document.getElementById('setting').dispatchEvent(new Event('change'));
                    }
                }
                document.querySelectorAll('details').forEach(d => { d.open = true; });
                const data = JSON.parse(document.getElementById('data').textContent);
                const rows = [...document.querySelectorAll('#rows tr.row th')].map(e => e.textContent);
                return { rows, names: data.settings.length ? data.settings.at(-1).matrix.map(i => data.matrix.name[i]) : [],
                    scripts: document.scripts.length, outside: [...document.querySelectorAll('a[href]')].map(a => a.href)
                        .filter(h => !h.startsWith('file:') && !h.startsWith('https://sparse.tamu.edu/')),
                    images: [...document.images].filter(i => !i.src.startsWith('data:image/png')).length,
                    text: document.body.innerText, hidden: document.getElementById('explorer').hidden,
                    wide: document.documentElement.scrollWidth - innerWidth }""")
            cut = browser.js(CUT)  # of the last product, with a row open
            assert not cut, (width, cut)
            assert len(set(seen["rows"])) == min(50, len(seen["names"])) and set(seen["rows"]) <= set(seen["names"]), seen
            assert seen["scripts"] == 3 and not seen["outside"] and not seen["images"] and seen["wide"] <= 0, seen
            assert seen["hidden"] == (not seen["names"]), seen
            twice = browser.js(SAID_TWICE)
            assert not twice, (width, twice)
            report = json.loads((Path(page).parent / "report.json").read_text())
            sentences.check(report)
            for line in clear(report):
                assert line in seen["text"], (line, seen["text"])
            expected = Path(page).parent / "expected"
            for line in expected.read_text().splitlines() if expected.exists() else []:
                assert line in seen["text"], (line, seen["text"])
        said, asked = browser.console(), browser.requests()
        assert not said, said
        outside = [a for a in asked if not a.startswith((Path(page).as_uri(), "data:", "about:"))]
        assert asked and not outside, outside
        print(f"ok {number_of} - {name}", flush=True)
    except Exception as e:
        print(f"not ok {number_of} - {name}")
        for line in (str(e) if isinstance(e, AssertionError) else traceback.format_exc()).splitlines():
            print("# " + line[:2000], flush=True)
print(f"1..{number_of}")
browser.close()
