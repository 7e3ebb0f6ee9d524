"""Drives the HTTP clients of the examples: what they send, and what they must not do.

usage: clients.py PROGRAM FOLDER
"""

import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import threading
import time

from identity_provider import certificates


class Handler(http.server.BaseHTTPRequestHandler):
    seen = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.do_GET()

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.seen.append(self.path)
        getattr(self, self.path.removeprefix("/"))(body)

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def echo(self, body):
        known = {name: self.headers.get_all(name) for name in ("DPoP", "Authorization", "Content-Type", "Cookie")}
        self.send(200, json.dumps([self.command, body, known]).encode(), DPoP_Nonce="two", Set_Cookie="a=b")

    def denied(self, _):
        self.send(401, b"", WWW_Authenticate='DPoP error="use_dpop_nonce"')

    def redirect(self, _):
        self.send(307, b"", Location="/elsewhere")

    def set(self, _):
        assert self.headers["If-None-Match"] == '"one"', self.headers
        self.send(200, b'{"keys":[]}', ETag='"two"', Cache_Control="max-age=60", Age="3")

    def bytes(self, _):
        self.send(200, b'{"a":"\xff"}')

    def large(self, _):
        self.send(200, b" " * 1_000_000)

    def silent(self, _):
        time.sleep(4)

    def slow(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(20):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.2)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that stops reading


def serve(context=None):
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def judge(name, lines):
    """Every line of the program: seconds and outcome."""
    echo = {"DPoP": ["a.b.c"], "Authorization": ["Basic YTpi"], "Cookie": None}
    form = ["application/x-www-form-urlencoded"]
    expected = {
        "post": ["POST", "code=a%20b&c=d", echo | {"Content-Type": form}],
        "get": ["GET", "", echo | {"Content-Type": None}]}
    for title, (seconds, outcome) in lines.items():
        if title in expected:
            status, nonce, text = outcome.split(" ", 2)
            method, body, headers = json.loads(text)
            found = [method, body, {key: headers[key] for key in expected[title][2]}]
            good = (status, nonce) == ("200", "two") and found == expected[title]
        else:
            beginning = {
                "denied": '401 DPoP error="use_dpop_nonce"', "redirect": "307", "large": "throws", "bytes": "throws",
                "fetch /set": '200 ["\\"two\\"", "max-age=60", "3"] {"keys":[]}',
                "fetch /redirect": "307", "fetch /silent": "throws time-limit",
                "fetch /slow": "throws time-limit", "fetch /large": "throws size-limit",
                "fetch from public addresses": "throws forbidden-address"}[title]
            good = outcome.startswith(beginning)
        if not good or seconds > 4:
            raise SystemExit(f"FAILED: {name}, {title} after {seconds} s: {outcome}")
    assert len(lines) == 12, lines
    print(f"{name}: {len(lines)} checks")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    authorities, *files = certificates(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    secure, plain = serve(context), serve()
    for name in ("curl", "async-http-client", "url-session"):
        # URLSession on Linux takes no CAs of a program.
        base = f"http://127.0.0.1:{plain}" if name == "url-session" else f"https://localhost:{secure}"
        command = [program, name, base] + ([] if name == "url-session" else [str(authorities)])
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise SystemExit(f"FAILED: {name}: exit {result.returncode}: {result.stderr}")
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        judge(name, {title: (int(seconds), outcome) for title, seconds, outcome in lines})
        assert "/elsewhere" not in Handler.seen, f"{name} follows a redirect"


if __name__ == "__main__":
    main()
