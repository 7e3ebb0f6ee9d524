"""Logins between us and a foreign OpenID implementation, both ways, for each profile; then what
either side must reject."""

import json
from urllib.parse import urlencode

from cryptojwt.key_jar import build_keyjar

from openid_sides import CALLBACK, CLIENT, JWT_BEARER, KEYS, ROWS, SECRET
from openid_sides import ForeignParty, ForeignProvider, code_of, now, rejects, sealed
from peer import Peer

USER = "user-1-of-32-characters-in-total"  # of ours
FOREIGN, OURS = "https://foreign.example/op", "https://ours.example/op"
# The exception of idpyoidc if the last bytes of a token were changed.
CHANGED = {"signed": "BadSignature", "nested": "VerificationError"}


def run(program, tally):
    for row in ROWS:
        peer = Peer(program)
        try:
            our_party(row, peer, tally)
            our_provider(row, peer, tally)
        finally:
            peer.close()


class Report:
    """Checks of one group. `step` stops a login if a step failed."""

    def __init__(self, tally, group):
        self.tally, self.group = tally, group

    def good(self, name, answer):
        self.tally.check(self.group, name, answer.get("ok") is True, f"{answer}"[:300])
        if answer.get("ok") is not True:
            raise StopIteration
        return answer

    def right(self, name, is_right, detail=""):
        self.tally.check(self.group, name, is_right, f"{detail}"[:300])

    def ours_rejects(self, name, answer, *wanted):
        """Our side must reject with this code, and this claim if one is named."""
        claim = wanted[1] if len(wanted) > 1 else ""
        self.tally.check(self.group, name,
                         (answer.get("code"), answer.get("claim")) == (wanted[0], claim),
                         f"wanted {wanted}, got {answer}"[:300])

    def theirs_rejects(self, name, wanted, work):
        """Their side must reject with this exception."""
        got = rejects(work)
        self.tally.check(self.group, name, got is not None and got.split(":")[0] == wanted,
            f"wanted {wanted}, got {got}"[:300])


# ---- our relying party at the foreign provider

def our_party(row, peer, tally):
    provider = ForeignProvider(row, FOREIGN, peer.jwks)
    report = Report(tally, f"OpenID, {row.name}, our party at their provider")
    start = {"scopes": row.scopes, "service": row.service, "contexts": [row.acr] if row.acr else [],
             "by_value": row.object is not None, "hints": row.hints, "proof_key": row.proof_key}
    try:
        # It requires redirect_uri in the query too, where the profiles leave that open.
        report.good("metadata and keys", peer.ask(
            "party", profile=row.name, outer=["redirect_uri"], metadata=provider.metadata(),
            issuer=FOREIGN,
            jwks=provider.jwks, client_id=CLIENT, redirect_uri=CALLBACK, secret=SECRET,
            raw_basic=True))
        started = report.good("start", peer.ask("start", **start))
        back = provider.authorize(started["url"])
        received = provider.received
        report.right("their request has our nonce and state",
                     (received["nonce"], received["state"]) == (started["nonce"], started["state"]))
        report.right("all hints were sent", provider.hints == row.hints, provider.hints)
        report.right("it came in an object or in none",
            ("request" in started["url"]) == (row.object is not None))
        code = report.good("answer", peer.ask("answer", query=back))["value"]
        asked = report.good("token request", peer.ask("token_request", value=code))
        tokens = provider.token(asked["body"], asked["authorization"])
        access, id_token = tokens["access_token"], tokens["id_token"]
        parts = 5 if row.answers == "nested" else 3
        report.right("layers of their ID Token", id_token.count(".") == parts - 1)
        subject = report.good("ID Token",
            peer.ask("id_token", token=id_token, access_token=access))["sub"]
        body, kind = provider.userinfo(access)
        told = report.good("UserInfo", peer.ask("userinfo", body=body, type=kind))
        report.right("the same subject", told["sub"] == subject)
    except StopIteration:
        return
    except Exception as error:
        return report.right("a login", False, repr(error))
    rejected_by_our_party(row, peer, provider, report, subject, started["nonce"])
    rejected_by_their_provider(row, peer, provider, report, start)


def rejected_by_our_party(row, peer, provider, report, subject, nonce):
    def token(layers=None, keyjar=None, **changes):
        claims = {"iss": FOREIGN, "sub": subject, "aud": CLIENT, "iat": now(), "exp": now() + 300,
                  "nonce": nonce,
                  "auth_time": now()} | ({"acr": row.answered_acr} if row.acr else {}) | changes
        return sealed(claims, keyjar or provider.keyjar, CLIENT, row, layers or row.answers)

    def shown(**members):
        return peer.ask("id_token", token=token(**members))

    report.good("the same claims by hand", shown())
    report.ours_rejects("another nonce", shown(nonce="another"), "claim-rejected", "nonce")
    report.ours_rejects("another audience", shown(aud="client-2"), "claim-rejected", "aud")
    report.ours_rejects("another issuer", shown(iss=FOREIGN + "/"), "claim-rejected", "iss")
    report.ours_rejects("expired", shown(iat=now() - 900, exp=now() - 600, auth_time=now() - 900),
        "claim-rejected", "exp")
    report.ours_rejects("from the future", shown(iat=now() + 600, exp=now() + 900),
        "claim-rejected", "iat")
    stranger = build_keyjar(KEYS)
    stranger.import_jwks(json.loads(peer.jwks), CLIENT)
    report.right("a stranger's signature",
        shown(keyjar=stranger).get("code") in ("key-not-found", "signature-invalid"))
    if row.answers == "nested":
        report.ours_rejects("not encrypted", shown(layers="signed"), "malformed")
        user = {"sub": subject, "iss": FOREIGN, "aud": CLIENT}
        plain = sealed(user, provider.keyjar, CLIENT, row, "signed")
        report.ours_rejects("UserInfo not encrypted", peer.ask("userinfo", body=plain), "malformed")
        other = sealed(user | {"sub": "another"}, provider.keyjar, CLIENT, row, "nested")
    else:
        other = json.dumps({"sub": "another"})
    report.ours_rejects("UserInfo of another user", peer.ask("userinfo", body=other),
        "claim-rejected", "sub")


def rejected_by_their_provider(row, peer, provider, report, start):
    def started():
        return peer.ask("start", **start)["url"]

    if row.object is not None:
        url = started()
        report.theirs_rejects("our object with a changed end", CHANGED[row.object],
            lambda: provider.authorize(url[:-8] + "AAAAAAAA"))
    back = provider.authorize(started())
    asked = peer.ask("token_request", value=code_of(back))
    body, header = asked["body"], asked["authorization"]
    if row.client == "basic":
        report.theirs_rejects("another secret", "UnAuthorizedClient",
            lambda: provider.token(body, header[:-4] + "AAA="))
    else:
        def assertion(**changes):
            claims = {"iss": CLIENT, "sub": CLIENT, "aud": FOREIGN + "/token",
                      "jti": str(now()) + str(changes), "iat": now(), "exp": now() + 300} | changes
            token = peer.ask("forge", claims=claims, encrypted=row.client == "nested")["token"]
            return urlencode({"grant_type": "authorization_code", "code": code_of(back),
                              "redirect_uri": CALLBACK,
                              "client_assertion": token, "client_assertion_type": JWT_BEARER})
        report.theirs_rejects("an assertion for another audience", "UnAuthorizedClient",
            lambda: provider.token(assertion(aud="https://elsewhere.example")))
        report.theirs_rejects("an assertion that expired", "UnAuthorizedClient",
            lambda: provider.token(assertion(iat=now() - 900, exp=now() - 600)))
        body = assertion()  # the same claims, so those were rejected because of the change
    report.right("the true one after those", "id_token" in provider.token(body, header))
    again = "Rejected" if row.client == "basic" else "UnAuthorizedClient"
    report.theirs_rejects("the same again", again, lambda: provider.token(body, header))


# ---- the foreign relying party at our provider

def our_provider(row, peer, tally):
    report = Report(tally, f"OpenID, {row.name}, their party at our provider")
    party = ForeignParty(row, OURS, peer.jwks)
    try:
        report.good("registration", peer.ask(
            "provider", profile=row.name, issuer=OURS, client_id=CLIENT, redirect_uri=CALLBACK,
            secret=SECRET, jwks=party.jwks))
        back = report.good("authorization",
            peer.ask("authorize", query=party.query(party.request())))["redirect"]
        report.right("our answer has their state", party.state.replace(":", "%3A") in back, back)
        asked = party.token_request(code_of(back))
        answer = report.good("token request",
            peer.ask("token", body=asked, authorization=party.authorization()))["answer"]
        access, token = party.answer(answer)
        report.right("ID Token", token["sub"] == USER and token.get("acr") == row.answered_acr,
            token.to_dict())
        told = report.good("UserInfo", peer.ask("userinfo_response", bearer=access))
        info = party.userinfo(told["body"])
        report.right("UserInfo, read", (info["sub"], info["name"]) == (USER, "Zoë"))
    except StopIteration:
        return
    except Exception as error:
        return report.right("a login", False, repr(error))
    rejected_by_their_party(row, peer, party, report, answer)
    rejected_by_our_provider(row, peer, party, report, asked)


def rejected_by_their_party(row, peer, party, report, answer):
    issued = json.loads(answer)["id_token"]
    report.theirs_rejects("our ID Token for another nonce", "ValueError",
        lambda: party.id_token(issued, nonce="another"))
    report.theirs_rejects("our ID Token for another client", "NotForMe",
        lambda: party.id_token(issued, client_id="client-2"))
    report.theirs_rejects("our ID Token for another issuer", "IssuerMismatch",
        lambda: party.id_token(issued, issuer=FOREIGN))

    def forged(encrypted=row.answers == "nested", **changes):
        claims = {"iss": OURS, "sub": USER, "aud": CLIENT, "iat": now(), "exp": now() + 300,
            "nonce": party.nonce} | changes
        return peer.ask("forge", claims=claims, encrypted=encrypted)["token"]

    report.right("the same claims by hand", rejects(lambda: party.id_token(forged())) is None,
        rejects(lambda: party.id_token(forged())))
    report.theirs_rejects("our ID Token expired", "EXPError",
        lambda: party.id_token(forged(iat=now() - 900, exp=now() - 600)))
    report.theirs_rejects("our ID Token with a changed end", CHANGED[row.answers],
        lambda: party.id_token(issued[:-8] + "AAAAAAAA"))
    if row.answers == "nested":
        report.theirs_rejects("our ID Token not encrypted", "HeaderError",
            lambda: party.id_token(forged(encrypted=False)))


def rejected_by_our_provider(row, peer, party, report, used):
    def authorize(query):
        return peer.ask("authorize", query=query)

    stranger = ForeignParty(row, OURS, peer.jwks).keyjar
    if row.object is not None:
        report.ours_rejects("an object for another audience",
            authorize(party.query(party.request(), audience=FOREIGN)), "claim-rejected", "aud")
        report.ours_rejects("an object that expired",
            authorize(party.query(party.request(), lifetime=-300)), "claim-rejected", "exp")
        changed = party.query(party.request(), outer={"redirect_uri": "https://attacker.example/"})
        report.ours_rejects("another redirect_uri beside it", authorize(changed), "claim-rejected",
            "redirect_uri")
        answer = authorize(party.query(party.request(), keys=stranger))
        report.right("an object of a stranger",
            answer.get("code") in ("key-not-found", "signature-invalid"), answer)
    if row.object == "nested":
        report.ours_rejects("an object not encrypted",
            authorize(party.query(party.request(), layers="signed")), "malformed")
    elsewhere = party.query(party.request(redirect_uri="https://attacker.example/"))
    report.ours_rejects("a redirect_uri that is not registered", authorize(elsewhere),
        "claim-rejected", "redirect_uri")

    def token(assertion=None, authorization=None):
        body = party.token_request("no-code", assertion)
        return peer.ask("token", body=body, authorization=authorization or party.authorization())

    if row.client == "basic":
        wrong = party.authorization()[:-8] + "AAAAAAA="
        report.ours_rejects("another secret", token(authorization=wrong), "claim-rejected",
            "client_secret")
        report.ours_rejects("the code again",
            peer.ask("token", body=used, authorization=party.authorization()), "replayed")
        return
    report.ours_rejects("the assertion again", peer.ask("token", body=used), "replayed")
    report.ours_rejects("an assertion for another audience",
        token(party.assertion(audience=FOREIGN)), "claim-rejected", "aud")
    report.ours_rejects("an assertion that expired", token(party.assertion(lifetime=-300)),
        "claim-rejected", "exp")
    report.ours_rejects("an assertion too far ahead", token(party.assertion(lifetime=3600)),
        "claim-rejected", "exp")
    answer = token(party.assertion(keys=stranger))
    report.right("an assertion of a stranger",
        answer.get("code") in ("key-not-found", "signature-invalid"), answer)
    if row.client == "nested":
        report.ours_rejects("an assertion not encrypted", token(party.assertion(layers="signed")),
            "malformed")
