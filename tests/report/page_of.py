"""The parts of a page, without a browser."""
import html.parser
import json


class Page(html.parser.HTMLParser):
    """tags: those that open, with attributes; text: what a reader may see; data: what the script reads."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.text, self.inside, self.script = [], "", [], ""
        with open(path, encoding="utf-8", errors="replace") as f:
            self.source = f.read()
        self.feed(self.source)
        self.close()
        self.data = json.loads(self.script)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside.append((tag, dict(attrs).get("type")))

    def handle_endtag(self, tag):
        if tag in ("script", "style") and self.inside:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.text += data
        elif self.inside[-1] == ("script", "application/json"):
            self.script += data
