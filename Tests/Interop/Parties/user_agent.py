"""The parts of a browser that a login needs: cookies with SameSite, redirects, forms. Scripts do
not run, so the caller posts the form of a self-submitting page."""

import dataclasses
import html.parser
import http.client
import socket
import ssl
import urllib.parse


class Connection(http.client.HTTPSConnection):
    """HTTPS to a port of this machine for any host name, which is only used for TLS and the Host
    header."""

    def __init__(self, netloc, context, port=None):
        super().__init__(netloc, context=context, timeout=30)
        self.local_port = port or self.port
        self.context = context

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.local_port), self.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self.context.wrap_socket(plain, server_hostname=self.host)


def trusting(authority):
    """A context that trusts only this CA."""
    return ssl.create_default_context(cafile=authority)


@dataclasses.dataclass
class Page:
    """A response."""
    url: str
    status: int
    headers: list
    body: str

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def location(self):
        """The URL that the response redirects to. None for a page."""
        to = self.header("Location") if self.status in (302, 303) else None
        return to and urllib.parse.urljoin(self.url, to)

    def form(self):
        """The URL of the page's one form, and its fields."""
        reader = _Forms()
        reader.feed(self.body)
        assert len(reader.actions) == 1, \
            f"{len(reader.actions)} forms at {self.url}, {self.status}: {self.body[:300]}"
        return urllib.parse.urljoin(self.url, reader.actions[0]), reader.fields


class _Forms(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.actions, self.fields = [], {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.actions.append(attributes["action"])
        elif tag == "input":
            self.fields[attributes["name"]] = attributes["value"]


class UserAgent:
    """One browser without stored data."""

    def __init__(self, context):
        self.context = context
        self.cookies = {}

    def open(self, url, form=None, source=None, origin=None):
        """One request. `source` is the host of the page that leads there, None for the address bar.
        `origin` is the Origin header of a form."""
        parts = urllib.parse.urlsplit(url)
        headers = {"User-Agent": "interop", "Accept": "text/html"}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Origin"] = origin or "null"
        foreign = source not in (None, parts.hostname)
        sent = [
            f"{name}={value}" for (host, name), (value, same_site) in self.cookies.items()
            if host == parts.hostname
            and (not foreign or same_site == "none" or (same_site == "lax" and form is None))]
        if sent:
            headers["Cookie"] = "; ".join(sent).encode()
        # A local provider without TLS.
        connection = (
            Connection(parts.netloc, self.context) if parts.scheme == "https"
            else http.client.HTTPConnection(parts.netloc, timeout=30))
        try:
            target = parts.path + ("?" + parts.query if parts.query else "")
            connection.request("GET" if form is None else "POST", target, body, headers)
            answer = connection.getresponse()
            page = Page(url, answer.status, answer.getheaders(), answer.read().decode())
        finally:
            connection.close()
        for key, value in page.headers:
            if key.lower() == "set-cookie":
                self._keep(parts.hostname, value)
        return page

    def follow(self, page):
        """Follows redirects to the first page."""
        for _ in range(10):
            if page.location is None:
                return page
            page = self.open(page.location, source=urllib.parse.urlsplit(page.url).hostname)
        raise AssertionError("redirects without end")

    def post(self, page, **more):
        """Posts the page's form, with the user's input."""
        action, fields = page.form()
        source = urllib.parse.urlsplit(page.url)
        return self.open(action, {**fields, **more}, source=source.hostname,
            origin=f"{source.scheme}://{source.netloc}")

    def _keep(self, host, line):
        pair, *attributes = [part.strip() for part in line.split(";")]
        name, value = pair.split("=", 1)
        words = {key.lower(): rest for key, _, rest in (part.partition("=") for part in attributes)}
        assert "secure" in words, f"a cookie that goes without TLS: {line}"
        if value == "" or words.get("max-age") == "0" or "1970" in words.get("expires", ""):
            self.cookies.pop((host, name), None)
        else:
            self.cookies[host, name] = (value, words.get("samesite", "Lax").lower())
