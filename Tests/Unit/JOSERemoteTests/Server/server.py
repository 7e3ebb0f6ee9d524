"""An HTTPS server on loopback with faults, told what to do on stdin.

usage: server.py CERTIFICATE KEY [NEWEST-TLS | plain]
Prints its port. Each line on stdin is a JSON object that replaces members of the state:
mode, body, etag, cacheControl. Each is answered by one line: the number of requests so far
and whether one of them carried credentials or went to another path.
"""
import http.server
import json
import socket
import ssl
import sys
import threading
import time

state = {"mode": "ok", "body": "{}", "etag": None, "cacheControl": None}
seen = {"requests": 0, "revalidations": 0, "strange": 0}
lock = threading.Lock()
LIMIT = 8.0  # seconds; no answer lasts longer, whatever the client does


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def log_message(self, *_):
        pass

    def do_GET(self):
        with lock:
            now = dict(state)
            seen["requests"] += 1
            if self.path != "/jwks" or "Authorization" in self.headers or "Cookie" in self.headers:
                seen["strange"] += 1
        try:
            getattr(self, "mode_" + now["mode"])(now)
        except OSError:
            pass  # the client has gone
        self.close_connection = True

    do_POST = do_GET

    def mode_echo(self, now):  # what the client sent
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = json.dumps({"method": self.command, "path": self.path, "headers": self.headers.items(),
                           "body": body.decode()}).encode()
        self.head(201, now, len(text))
        self.send_header("DPoP-Nonce", "one")
        self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("www-authenticate", "DPoP")
        self.end_headers()
        self.wfile.write(text)

    def head(self, status, now, length=None):
        self.send_response(status)
        if now["etag"]:
            self.send_header("ETag", now["etag"])
        if now["cacheControl"]:
            self.send_header("Cache-Control", now["cacheControl"])
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")

    def send(self, status, now, body, length=None):
        self.head(status, now, len(body) if length is None else length)
        self.end_headers()
        self.wfile.write(body)

    def mode_ok(self, now):
        if now["etag"] and self.headers.get("If-None-Match") == now["etag"]:
            with lock:
                seen["revalidations"] += 1
            self.head(304, now)
            self.end_headers()
        else:
            time.sleep(0.05)
            self.send(200, now, now["body"].encode())

    def mode_html(self, now):
        self.send(200, now, b"<!doctype html><title>Maintenance</title>")

    def mode_error(self, now):
        self.send(503, now, now["body"].encode())

    def mode_silent(self, now):
        time.sleep(LIMIT)

    def mode_slow(self, now):  # a valid set, a byte at a time
        self.head(200, now, len(now["body"]))
        self.end_headers()
        end = time.monotonic() + LIMIT
        for byte in now["body"].encode():
            if time.monotonic() > end:
                return
            self.wfile.write(bytes([byte]))
            time.sleep(0.2)

    def mode_endless(self, now):  # white space without an end, no length
        self.head(200, now)
        self.end_headers()
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.wfile.write(b" " * 4096)

    def mode_oversized(self, now):  # says so
        self.send(200, now, now["body"].encode(), 100 << 20)

    def mode_chunked(self, now):  # does not say so
        self.head(200, now)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def mode_trailer(self, now):  # after an empty body
        self.head(200, now)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"0\r\nDPoP-Nonce: of-a-trailer\r\n\r\n")

    def mode_header(self, now):  # a header of 200 KB
        self.head(200, now, 2)
        for index in range(200):
            self.send_header("X-%d" % index, "x" * 1000)
        self.end_headers()
        self.wfile.write(b"{}")

    def mode_cut(self, now):  # ends before its length
        self.send(200, now, now["body"].encode(), len(now["body"]) + 10)

    def mode_noise(self, now):
        self.wfile.write(b"\x00\x01\x02 no HTTP \xff\r\n\r\n")

    def redirect(self, now, location):
        self.head(302, now, 0)
        self.send_header("Location", location)
        self.end_headers()

    def mode_redirectPath(self, now):
        self.redirect(now, "/elsewhere")

    def mode_redirectScheme(self, now):
        self.redirect(now, "http://127.0.0.1:%d/elsewhere" % port)

    def mode_redirectHost(self, now):
        self.redirect(now, "https://localhost:%d/jwks" % port)

    def mode_redirectSame(self, now):
        self.redirect(now, "/jwks")

    def mode_private(self, now):  # a set with a symmetric key
        self.send(200, now, b'{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}')

    def mode_twice(self, now):  # JSON that two readers would read differently
        self.send(200, now, b'{"keys":[],"keys":[{"kty":"X","kid":"a"}]}')

    def mode_nothing(self, now):
        self.send(200, now, b"")

    def mode_binary(self, now):  # no UTF-8
        self.send(200, now, b"a.b.\xff")

    def mode_unasked(self, now):  # 304 to a request without a tag
        self.head(304, now)
        self.end_headers()

    def mode_redirectFile(self, now):
        self.redirect(now, "file:///etc/passwd")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass

    def finish_request(self, request, client):
        # The handshake belongs to the request's thread: a client that rejects us stops nobody else.
        request.settimeout(10)
        if is_plain:
            self.RequestHandlerClass(request, client, self)
            return
        with context.wrap_socket(request, server_side=True) as secure:
            self.RequestHandlerClass(secure, client, self)


is_plain = sys.argv[3:] == ["plain"]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
if len(sys.argv) > 3 and not is_plain:  # the newest version to speak
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = getattr(ssl.TLSVersion, sys.argv[3])
    context.set_ciphers("ALL:@SECLEVEL=0")
context.load_cert_chain(sys.argv[1], sys.argv[2])
server = Server(("127.0.0.1", 0), Handler)
port = server.server_address[1]
threading.Thread(target=server.serve_forever, daemon=True).start()
print(port, flush=True)
for line in sys.stdin:
    with lock:
        state.update(json.loads(line))
        print(json.dumps(seen), flush=True)
