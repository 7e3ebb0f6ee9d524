"""Helpers to invalidate one part of a login, and to check who rejected it."""

import urllib.parse


def changed(members, change):
    """Claims or parameters with replaced values. None removes one."""
    return {name: value for name, value in {**members, **change}.items() if value is not None}


def rejected(login, pattern, said):
    """Expects this reason, nobody signed in, and the page not shown."""
    assert pattern and pattern in said, \
        f"{pattern!r} is not the reason:\n{login.apache_said}\n{login.provider_said}"
    assert "what only users may read" not in login.page.body and login.session() is None


def with_query(change):
    """Changes the query of a URL."""
    def address(url):
        parts = urllib.parse.urlsplit(url)
        members = dict(urllib.parse.parse_qsl(parts.query, strict_parsing=True))
        members = changed(members, change(members) if callable(change) else change)
        return parts._replace(query=urllib.parse.urlencode(members)).geturl()
    return address


def broken_end(token):
    """Another signature, or another authentication tag."""
    head, _, end = token.rpartition(".")
    return head + "." + ("B" if end[0] == "A" else "A") + end[1:]
