#!/usr/bin/env python3
"""Opens the site in a headless Chromium: each product's landing page, and each of its articles' (or one symbol's) page.

usage: open.py SITE BASE-PATH PRODUCT...
"""

import asyncio
import functools
import http.server
import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Interop/Parties"))
from browser import Browser  # noqa: E402

# Of the page's own heading: the title that DocC's renderer shows.
TITLE = "(document.querySelector('h1') || {innerText: ''}).innerText.trim()"


class Handler(http.server.SimpleHTTPRequestHandler):
    """The site at its base path, as a host of static files serves it; nothing outside of it."""

    base = "/"

    def translate_path(self, path):
        return super().translate_path("/" + path[len(self.base):] if path.startswith(self.base) else "/none")

    def log_message(self, *_):
        pass


def title(site, address):
    return json.loads((site / f"data{address}.json").read_text())["metadata"]["title"]


def addresses(site, product):
    """The landing page, then one page of each kind: the articles', and the first symbol's."""
    landing = f"/documentation/{product.lower()}"
    below = sorted((site / f"data{landing}").glob("*.json"))
    kinds = {}
    for file in below:
        page = json.loads(file.read_text())
        kinds.setdefault(page["kind"], f"{landing}/{file.stem}")
    return [landing, *kinds.values()]


async def show(site, base, products, port):
    async with Browser([]) as browser:
        for product in products:
            for address in addresses(site, product):
                wanted = title(site, address)
                await browser.open(f"http://localhost:{port}{base.rstrip('/')}{address}")
                for _ in range(1200):
                    found = await browser.value(TITLE)
                    if found == wanted and await browser.address() != "about:blank":
                        break
                    await asyncio.sleep(0.05)
                else:
                    raise SystemExit(f"{address}: no title {wanted!r} but {found!r}:\n{await browser.text()}")
                print(f"{address}: {wanted}")


def main(site, base, *products):
    Handler.base = base.rstrip("/") + "/"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asyncio.run(show(Path(site), base, products, server.server_address[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
