#!/usr/bin/python3
"""A web server on the loopback interface that misbehaves on request.

http_server.py ROOT STATE [CERT]: serves the files below ROOT on a free port; the port is written to
STATE/port when it is ready; with CERT, a file with key and certificate, by HTTPS.  Every request is a line of STATE/log:
    seconds-since-start status path range if-range condition

What happens to a path is said by STATE/plan, lines "PATH WORD...", read anew for each request.
The first request of a path under a plan takes the first word, and so on; the last word stays.  Words:
    ok              the file, with ETag and ranges
    status=N        that status; status=N,S adds "Retry-After: S"; S may be +SECONDS: as a date
    drop=N          the head is right, the connection ends after N bytes of the body
    bare=N          as drop, without a mark of the version
    stall=N         as drop, but the connection stays open, silent
    slow=N          N bytes every 20 ms
    norange         200 with everything, whatever range is asked for
    wrongrange      206, but from another byte
    noetag, weak    no mark of the version, or one that is not good for ranges
    changed         another ETag than the last time
    short=N         Content-Length N, and that many bytes
    nolength        no Content-Length, the connection ends with the body
    endless         bytes without end
    empty           Content-Length 0
    redirect=URL    302; loop: 302 to itself
    full            416 whatever is asked for
"""
import email.utils
import hashlib
import http.server
import os
import ssl
import sys
import threading
import time
import urllib.parse

root, state = sys.argv[1], sys.argv[2]
lock = threading.Lock()
count = {}
began = time.time()


def next_word(path):
    words = ["ok"]
    plan = ""
    try:
        with open(os.path.join(state, "plan")) as f:
            plan = f.read()
    except FileNotFoundError:
        pass
    for line in plan.splitlines():
        if line.split()[:1] == [path]:
            words = line.split()[1:]
    with lock:
        n = count.get((plan, path), 0)
        count[plan, path] = n + 1
    return words[min(n, len(words) - 1)]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def note(self, status):
        h = self.headers
        condition = h.get("If-None-Match") or h.get("If-Modified-Since") or "-"
        fields = [h.get("Range", "-"), h.get("If-Range", "-"), condition]
        with lock, open(os.path.join(state, "log"), "a") as f:
            f.write("%.3f %d %s %s\n" % (time.time() - began, status, self.path,
                                         " ".join(x.replace(" ", "_") for x in fields)))

    def head(self, status, fields):
        self.note(status)
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()

    def fail(self, status, more=()):
        text = b"<html>no</html>\n"
        self.head(status, [("Content-Length", str(len(text)))] + list(more))
        self.wfile.write(text)

    def do_GET(self):
        word, _, value = next_word(self.path).partition("=")
        file = os.path.normpath(root + urllib.parse.unquote(self.path))
        if word == "status":
            status, _, wait = value.partition(",")
            if wait.startswith("+"):
                wait = email.utils.formatdate(int(time.time()) + int(wait[1:]), usegmt=True)
            return self.fail(int(status), [("Retry-After", wait)] if wait else [])
        if word in ("redirect", "loop"):
            return self.head(302, [("Location", value or self.path), ("Content-Length", "0")])
        if not file.startswith(root + "/") or not os.path.isfile(file):
            return self.fail(404)
        with open(file, "rb") as f:
            data = f.read()
        self.serve(data, word, value)

    def serve(self, data, word, value):
        etag = '"%s"' % hashlib.md5(data).hexdigest()
        if word == "weak":
            etag = "W/" + etag
        if word == "changed":
            etag = '"another"'
        fields = [] if word in ("noetag", "bare") else [("ETag", etag)]
        if word not in ("noetag", "weak") and self.headers.get("If-None-Match") == etag:
            return self.head(304, fields)
        begin = 0
        asked = self.headers.get("Range")
        fits = self.headers.get("If-Range") in (None, etag)
        if word == "full" and asked:
            return self.head(416, [("Content-Range", "bytes */%d" % len(data)),
                                   ("Content-Length", "0")])
        if asked and fits and word != "norange":
            begin = int(asked.split("=")[1].split("-")[0])
            if begin >= len(data):
                return self.head(416, [("Content-Range", "bytes */%d" % len(data)),
                                       ("Content-Length", "0")])
            if word == "wrongrange":
                begin = begin // 2
            fields.append(("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data))))
        body = data[begin:]
        status = 206 if asked and fits and word != "norange" else 200
        if word == "empty":
            body = b""
        if word == "short":
            body = body[:int(value)]
        if word in ("nolength", "endless"):
            self.close_connection = True
            fields.append(("Connection", "close"))
        else:
            fields.append(("Content-Length", str(len(body))))
        self.head(status, fields)
        try:
            self.send_body(body, word, value)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send_body(self, body, word, value):
        if word == "endless":
            while True:
                self.wfile.write(bytes(1 << 16))
        if word in ("drop", "bare", "stall"):
            self.wfile.write(body[:int(value)])
            self.wfile.flush()
            self.close_connection = True
            while word == "stall" and os.path.exists(os.path.join(state, "port")):
                time.sleep(0.1)
        elif word == "slow":
            for at in range(0, len(body), int(value)):
                self.wfile.write(body[at:at + int(value)])
                self.wfile.flush()
                time.sleep(0.02)
        else:
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 3:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[3])
    server.socket = tls.wrap_socket(server.socket, server_side=True)
with open(os.path.join(state, "port.new"), "w") as f:
    f.write("%d\n" % server.server_address[1])
os.rename(os.path.join(state, "port.new"), os.path.join(state, "port"))
server.serve_forever()
