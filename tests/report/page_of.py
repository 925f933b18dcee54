"""The parts of a page, without a browser."""
import html.parser
import json
import os


class Page(html.parser.HTMLParser):
    """tags: those that open, with attributes; data, pictures: what the script reads; report: the document beside the page."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.inside, self.scripts = [], None, {}
        with open(path, encoding="utf-8", errors="replace") as f:
            self.source = f.read()
        self.feed(self.source)
        self.close()
        self.data, self.pictures = (json.loads(self.scripts[name]) for name in ("data", "pictures"))
        with open(os.path.join(os.path.dirname(path), "report.json"), encoding="utf-8") as f:
            self.report = json.load(f)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.inside = dict(attrs).get("id")

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + data
