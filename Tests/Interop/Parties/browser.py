"""A headless Chromium controlled by the program: Debian's package, by its DevTools protocol."""

import asyncio
import base64
import json
import os
import re
import shutil
import tempfile

import websockets


class Browser:
    """One page of one browser without stored data."""

    def __init__(self, keys, seconds=30):
        """keys: the digests of the only public keys whose certificates are accepted without a
        CA."""
        self.keys = keys
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="login-browser-")
        self.count = 0
        self.answers = {}

    async def __aenter__(self):
        words = [
            shutil.which("chromium") or "chromium", "--headless=new", "--remote-debugging-port=0",
            "--user-data-dir=" + self.folder, "--window-size=900,1000", "--hide-scrollbars",
            "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-sync", "--disable-component-update", "--no-proxy-server",
            "--ignore-certificate-errors-spki-list=" + ",".join(self.keys), "about:blank",
        ]
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # Chromium refuses to run as root without it
        self.process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE)
        address = await asyncio.wait_for(self._address(), self.seconds)
        self.errors = asyncio.create_task(self._drain())
        self.socket = await websockets.connect(address, max_size=None)
        self.reader = asyncio.create_task(self._read())
        target = await self.send("Target.createTarget", url="about:blank")
        attached = await self.send("Target.attachToTarget", targetId=target["targetId"],
            flatten=True)
        self.session = attached["sessionId"]
        await self.send("Page.enable")
        return self

    session = None

    async def __aexit__(self, *_):
        self.reader.cancel()
        await self.socket.close()
        self.process.kill()
        await self.process.wait()
        self.errors.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _address(self):
        said = []
        while line := (await self.process.stderr.readline()).decode():
            said.append(line)
            if found := re.search(r"DevTools listening on (ws://\S+)", line):
                return found[1]
        raise AssertionError("the browser does not start:\n" + "".join(said[-20:]))

    async def _drain(self):
        while await self.process.stderr.readline():
            pass

    async def _read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message and (waiting := self.answers.pop(message["id"], None)):
                waiting.set_result(message)

    async def send(self, method, **parameters):
        self.count += 1
        answer = asyncio.get_running_loop().create_future()
        self.answers[self.count] = answer
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        await self.socket.send(json.dumps(message))
        message = await asyncio.wait_for(answer, self.seconds)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    async def value(self, expression):
        result = await self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    async def open(self, address):
        await self.send("Page.navigate", url=address)

    async def click(self, label):
        """Clicks the button with this label."""
        place = await self.value(
            "(() => { const all = [...document.querySelectorAll('button, a')]"
            f".filter(e => e.innerText === {json.dumps(label)});"
            " if (all.length !== 1) return null; all[0].scrollIntoView();"
            " const r = all[0].getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()")
        assert place, f"no button {label!r} on the page:\n{await self.text()}"
        for kind in ("mousePressed", "mouseReleased"):
            await self.send(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left",
                clickCount=1)

    async def text(self):
        return await self.value("document.body ? document.body.innerText : ''") or ""

    async def address(self):
        return await self.value("location.href")

    async def page(self, title):
        """Waits until a page of this title has loaded. Returns its text."""
        deadline = asyncio.get_running_loop().time() + self.seconds
        state = None
        while asyncio.get_running_loop().time() < deadline:
            try:
                state = await self.value("[document.readyState, document.title]")
            except RuntimeError:
                state = None  # between two pages
            if state == ["complete", title]:
                return await self.text()
            await asyncio.sleep(0.05)
        raise AssertionError(
            f"no page {title!r} but {state}, at {await self.address()}:\n{await self.text()}")

    async def picture(self, path):
        data = (await self.send("Page.captureScreenshot", format="png"))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
