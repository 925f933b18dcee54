"""A headless Chromium, driven through chromedriver's WebDriver interface with the standard library."""
import atexit
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # key of an element's id (W3C WebDriver, section 12)
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Space": "\ue00d", "Backspace": "\ue003", "Shift": "\ue008"}


#: What is cut or hidden: texts of drawings beyond their edge or over each other, elements wider than their box
#: that do not scroll.  A script whose value is a list of words about each.
CUT = """
  const bad = [];
  for (const svg of document.querySelectorAll('figure[data-figure] svg')) {
    const name = svg.closest('figure').dataset.figure, frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent.trim(), t.getBoundingClientRect()]).filter(([t, r]) => t && r.width);
    for (const [t, r] of texts)
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1) bad.push(`${name} cuts ${t}`);
    texts.forEach(([t, a], i) => texts.slice(0, i).forEach(([u, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 0.35 * Math.min(a.height, b.height)) bad.push(`${name}: ${t} over ${u}`);
    }));
  }
  for (const e of document.querySelectorAll('header *, main *, footer *'))
    if (!e.closest('svg, noscript, .scroll, select') && e.getClientRects().length && getComputedStyle(e).display !== 'inline'
        && e.clientWidth && e.scrollWidth > e.clientWidth + 1) bad.push(`${e.tagName} ${e.id || e.className} is cut`);
  return bad;"""


class Browser:
    """A browser window; its files live in `folder`."""

    def __init__(self, folder, driver="chromedriver"):
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.profile = os.path.join(folder, "profile")
        self.log = open(os.path.join(folder, "chromedriver.log"), "w+b")
        # port 0: any free one, which it then says; a session of its own, to end all of its processes
        self.process = subprocess.Popen([driver, "--port=0"], stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        atexit.register(self.close)
        self.url = f"http://127.0.0.1:{self._port()}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                     "--force-device-scale-factor=1", f"--user-data-dir={self.profile}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"

    def _port(self):
        for _ in range(1200):  # a minute: the first start on a busy machine is slow
            with open(self.log.name, "rb") as f:
                found = re.search(rb"started successfully on port (\d+)", f.read())
            if found:
                return int(found.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("chromedriver did not start: " + open(self.log.name, errors="replace").read())

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(f"{method} {path}: {e.read().decode(errors='replace')[:2000]}") from None

    def do(self, command, **body):
        return self._call("POST", self.session + command, body)

    def close(self):
        atexit.unregister(self.close)
        if getattr(self, "session", None):
            with contextlib.suppress(Exception):
                self._call("DELETE", self.session)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url):
        self.do("/url", url=url)

    def js(self, script, *arguments):
        """The value that the body of a function returns."""
        return self.do("/execute/sync", script=script, args=list(arguments))

    def devtools(self, command, **parameters):
        return self.do("/goog/cdp/execute", cmd=command, params=parameters)

    def keys(self, *keys):
        """Press and release keys, by name or as text, wherever the focus is; "Shift+Tab" holds one."""
        actions = []
        for key in keys:
            *held, last = key.split("+") if "+" in key and len(key) > 1 and key.split("+")[0] in KEYS else [key]
            for h in held:
                actions.append({"type": "keyDown", "value": KEYS[h]})
            for c in [KEYS[last]] if last in KEYS else list(last):
                actions += [{"type": "keyDown", "value": c}, {"type": "keyUp", "value": c}]
            for h in reversed(held):
                actions.append({"type": "keyUp", "value": KEYS[h]})
        self.do("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def click(self, selector):
        element = self.do("/element", using="css selector", value=selector)[ELEMENT]
        self.do(f"/element/{element}/click")

    def look(self, width, height=900, dark=False, scripts=True, media=""):
        """Size of the viewport in CSS pixels, colour scheme, whether scripts run, from the next page on."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.devtools("Emulation.setScriptExecutionDisabled", value=not scripts)

    def shot(self, path, whole=False):
        """A picture of the window, or of the whole page."""
        if whole:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            clip = dict(x=0, y=0, width=size["width"], height=min(size["height"], 16000), scale=1)
            data = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        else:
            data = self.devtools("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def console(self):
        """What the console has said since the last call."""
        return [f"{e['level']}: {e['message']}" for e in self.do("/se/log", type="browser")]

    def requests(self):
        """Addresses that were asked for since the last call."""
        out = []
        for entry in self.do("/se/log", type="performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                out.append(message["params"]["request"]["url"])
            elif message["method"] in ("Network.webSocketCreated", "Network.webTransportCreated"):
                out.append(message["params"]["url"])
        return out
