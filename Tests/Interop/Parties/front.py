"""A reverse proxy with a provider's address: it records every exchange, and may change it."""

import dataclasses
import http.server
import json
import ssl
import threading
import urllib.parse

from user_agent import Connection

# Headers of one connection, or set again for the next.
OWN = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server", "host"}


@dataclasses.dataclass
class Exchange:
    """A request and its response."""
    method: str
    path: str
    query: str
    headers: dict
    body: str
    status: int = 0
    answer_headers: list = ()
    answer: str = ""

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body, strict_parsing=True, keep_blank_values=True))

    @form.setter
    def form(self, fields):
        self.body = urllib.parse.urlencode(fields)

    @property
    def json(self):
        return json.loads(self.answer)

    @json.setter
    def json(self, members):
        self.answer = json.dumps(members)


class Front:
    """An HTTPS server on a port of this machine in front of another. `changes` are functions by
    path: they change a request on its way in (`requests`) and its response on its way out
    (`answers`)."""

    def __init__(self, host, port, behind, keys, context):
        self.exchanges, self.requests, self.answers = [], {}, {}
        # Failures of the proxy itself, which are not a rejection of either side.
        self.faults = []
        self.host, self.behind, self.context = f"{host}:{port}", behind, context
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def handle_one(self):
                try:
                    front._handle(self)
                except Exception as fault:
                    front.faults.append(fault)
                    raise

            do_GET = do_POST = handle_one

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(f"{keys}/{host}.tls.pem", f"{keys}/{host}.tls.key")
        # The handler's thread does the TLS handshake, so that a slow client does not block others.
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
            do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def of(self, path, since=0):
        """The exchanges of one path, from index `since` on."""
        return [exchange for exchange in self.exchanges[since:] if exchange.path == path]

    def send(self, exchange):
        """Sends a request to the server behind the proxy."""
        connection = Connection(self.host, self.context, self.behind)
        try:
            target = exchange.path + ("?" + exchange.query if exchange.query else "")
            connection.request(exchange.method, target, exchange.body.encode() or None,
                exchange.headers)
            answer = connection.getresponse()
            exchange.status, exchange.answer = answer.status, answer.read().decode()
            exchange.answer_headers = [pair for pair in answer.getheaders()
                if pair[0].lower() not in OWN]
        finally:
            connection.close()
        return exchange

    def _handle(self, handler):
        path, _, query = handler.path.partition("?")
        headers = {name: value for name,
            value in handler.headers.items() if name.lower() not in OWN}
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()
        exchange = Exchange(handler.command, path, query, headers, body)
        if change := self.requests.get(path):
            change(exchange)
        self.send(exchange)
        if change := self.answers.get(path):
            change(exchange)
        self.exchanges.append(exchange)
        data = exchange.answer.encode()
        handler.send_response(exchange.status)
        for name, value in exchange.answer_headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
