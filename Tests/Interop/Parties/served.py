"""One document at a URL of the relying party, over HTTPS: the request object that a provider
fetches."""

import http.server
import os
import ssl
import threading


class Served:
    """Set `text` and `headers`. `count` is the number of fetches."""

    def __init__(self, keys):
        """keys: the output of make-keys.sh."""
        self.text, self.headers, self.count = "", {}, 0
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                served.count += 1
                body = served.text.encode()
                self.send_response(200)
                for name, value in {**served.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(
            *(os.path.join(keys, "rp.localhost.tls." + part) for part in ("pem", "key")))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.address = f"https://rp.localhost:{self.server.server_port}/request-objects/1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
