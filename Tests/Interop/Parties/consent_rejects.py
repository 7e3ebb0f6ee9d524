"""The user's consent: who gave it, when, and what is rejected before the user is asked.

Each rejection is next to the same message without a defect, which passes.
"""

import json
import time
import urllib.parse

from tokens import claims
from user_agent import UserAgent
from wrongs import with_query

ZOE = "0123456789abcdef0123456789abcdef"


def words(cases, world):
    """The ticket is valid in the browser that made the request, from the provider's own form."""
    def answer(cookie, origin=world.issuer):
        """The provider's response to a consent from a browser with this Cookie line, then to a
        valid one."""
        agent = UserAgent(world.context)
        page = agent.open(agent.open(world.clients["proof-key"].page).location)
        action, fields = page.form()
        [(name, (ticket, _))] = [(key, value) for key,
            value in agent.cookies.items() if key[0] == "idp.localhost"]
        jar = dict(agent.cookies)
        # A malformed line: one cookie with everything after its first equals sign.
        first, _, rest = cookie.replace("TICKET", ticket).partition("=")
        agent.cookies = {(name[0], first): (rest, "strict")}
        tried = agent.open(action, {**fields, "answer": "yes"}, source=name[0], origin=origin)
        agent.cookies = jar
        good = agent.open(action, {**fields, "answer": "yes"}, source=name[0], origin=world.issuer)
        assert good.status == (400 if tried.status == 303 else 303), (tried.status, good.status)
        return tried

    cookie = "__Host-ticket=TICKET"

    def passes():
        assert answer(cookie).status == answer("a=1; " + cookie).status == 303
    cases.run("a yes with the ticket's cookie", passes)

    # In Unicode the Greek question mark is canonically a semicolon, to a browser it is part of a
    # value.
    for title, line in (
        ("in the value of another, behind a Greek question mark", "a=1\u037e " + cookie),
        ("twice", f"{cookie}; {cookie}"),
        ("with an accent on its sign of equality", "__Host-ticket=\u0301TICKET"),
    ("in other letters", "__host-ticket=TICKET"), ):
        def case():
            page = answer(line)
            assert page.status == 400 and "This page has expired" in page.body, page
        cases.run(f"the provider rejects a yes: the ticket's cookie {title}", case)

    def foreign():
        for origin in (None, "https://rp.localhost", world.issuer + "1"):
            page = answer(cookie, origin)
            assert page.status == 403 and "This form is from another site" in page.body, page
    cases.run("the provider rejects a yes: the form of another site", foreign)


def requests(cases, world, signed_in):
    """A request that cannot be satisfied, or may not be asked, is rejected before the user is
    asked."""
    def asking(**members):
        return with_query({"claims": json.dumps({"id_token": members})})

    def passes():
        signed_in(world.login("proof-key", address=asking(sub={"value": ZOE})))
        signed_in(world.login("proof-key", address=with_query({"prompt": "consent"})))
    cases.run("a request for this user, with prompt=consent", passes)

    def reached(asked, acr):
        _, token, _ = signed_in(world.login("proof-key", address=asked))
        assert claims(token.json["id_token"]).get("acr") == acr, token.answer
    for title, asked, acr in (
        ("acr_values", with_query({"acr_values": "phr phrh"}), "0"),
        ("an acr by claims", asking(acr={"value": "phr"}), "0"),
        ("one of several", asking(acr={"values": ["phr", "phrh"]}), "0"),
        ("any acr", asking(acr=None), "0"),
        ("any acr, essential", asking(acr={"essential": True}), "0"),
    ("no acr", with_query({}), None), ):
        cases.run(f"a voluntary acr is answered with the one that was reached: {title}", reached,
            asked, acr)

    for title, address, error in (
        ("another user", asking(sub={"value": "somebody"}), "login_required"),
        ("an acr that this provider does not have", asking(acr={"essential": True, "value": "phr"}),
            "unmet_authentication_requirements"),
        ("prompt=none", with_query({"prompt": "none"}), "login_required"),
    ):
        def case():
            login = world.login("proof-key", address=address)
            came_back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(login.page.url).query))
            assert came_back.get("error") == error and "state" in came_back, login.page.url
            # The library's error is only logged.
            assert not {"misuse", "call:",
                "claim"} & set(came_back["error_description"].split()), came_back
            assert not hasattr(login, "consent") and login.session() is None
            assert f"provider: rejects the request: {error}" in login.provider_said, login.provider_said
        cases.run(f"the provider does not ask its user: {title}", case)


def time_of_word(world, signed_in):
    """auth_time is the time of the consent, however late the client redeems the code."""
    said = []

    def late(_):
        while int(time.time()) <= said[0]:
            time.sleep(0.02)
    login = world.login("proof-key", requests={"/token": late},
        answers={"/consent": lambda _: said.append(int(time.time()))})
    _, token, _ = signed_in(login)
    told = claims(token.json["id_token"])
    assert told["auth_time"] <= said[0] < told["iat"], (told, said)


def run(cases, world, signed_in):
    words(cases, world)
    requests(cases, world, signed_in)
    cases.run("auth_time is the time of the user's word", time_of_word, world, signed_in)
