"""check_svg.py REPORT: every drawing is XML that stands alone, and all of them together fit one page."""
import glob
import os
import re
import sys
import xml.etree.ElementTree as tree

wrong = []
ids = {}
files = sorted(glob.glob(os.path.join(sys.argv[1], "figures", "**", "*.svg"), recursive=True))
for file in files:
    with open(file) as f:
        text = f.read()
    name = os.path.basename(file)[:-4]
    root = tree.fromstring(text)
    if not text.startswith("<svg ") or not root.get("viewBox") or not root.get("aria-label"):
        wrong.append(f"{name}: does not begin as a drawing for a page")
    if "script" in text or "var(" in text or re.search(r'(href|src)=["\'](?!#)', text):
        wrong.append(f"{name}: scripts, variables of a page or foreign references")
    own = set()
    for element in root.iter():
        if element.get("id"):
            own.add(element.get("id"))
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.endswith("href") and value[1:] not in own:
                wrong.append(f"{name}: refers to {value}, which is not there")
            for there in re.findall(r"url\(#([^)]*)\)", value):
                if there not in own:
                    wrong.append(f"{name}: refers to {there}, which is not there")
    for i in own:
        if ids.setdefault(i, name) != name:
            wrong.append(f"{name}: the id {i} is also one of {ids[i]}")
    if len(text) > 300000:
        wrong.append(f"{name}: {len(text)} bytes")
    with open(file[:-3] + "pdf", "rb") as f:
        if f.read(5) != b"%PDF-":
            wrong.append(f"{name}: its PDF is none")
if len(files) < 10:
    wrong.append(f"{len(files)} drawings only")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
