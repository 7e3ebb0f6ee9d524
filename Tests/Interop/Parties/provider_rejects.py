"""What the provider rejects of mod_auth_openidc: one defect at a time, the response that Apache or
the browser gets, and the reason in the provider's log.

Each table begins with the same message of ours without a defect, which passes.
"""

import base64
import json
import time
import urllib.parse

from tokens import claims
from wrongs import broken_end, changed, rejected, with_query


def answered(login, status, error):
    """Expects this response of the token endpoint, and that Apache received it."""
    [token] = login.exchanges("/token")
    assert (token.status, token.json["error"]) == (status, error), (token.status, token.answer)
    assert f'"error" entry with value: ""{error}""' in login.apache_said, login.apache_said
    return token


def wrong_assertions(cases, world, signed_in):
    now = int(time.time())
    namesake = world.new_key("--alg", "RS256", "--kid", "apache")

    def request(change, key=None, damage=None):
        def send(exchange):
            form = exchange.form
            token = world.tokens.sign(key or world.client_key,
                changed(claims(form["client_assertion"]), change))
            exchange.form = {**form, "client_assertion": damage(token) if damage else token}
        return {"/token": send}

    def control():
        signed_in(world.login("assertion", requests=request({})))
    cases.run("a client assertion of ours as Apache's", control)

    def for_the_issuer():
        signed_in(
            world.login("assertion", requests=request({"jti": "another", "aud": world.issuer})))
    cases.run("a client assertion for the issuer", for_the_issuer)

    for title, change, words, reason in (
        ("aud of another server", {"aud": "https://another.example/token"}, {}, "claim aud"),
        ("two audiences", {"aud": [world.issuer + "/token", "https://another.example"]}, {},
            "claim aud"),
        ("it has expired", {"exp": now - 100}, {}, "expired"),
        ("it lives for an hour", {"exp": now + 3600}, {}, "claim exp"),
        ("no jti", {"jti": None}, {}, "claim jti"),
        # That client has a secret.
        ("iss of another client", {"iss": "plain"}, {}, "claim client_secret"),
        ("sub of another client", {"sub": "plain"}, {}, "claim sub"),
        ("signed by another key of the same kid", {}, {"key": namesake}, "signature"),
        ("it is damaged", {}, {"damage": broken_end}, "signature"),
    ):
        def case():
            login = world.login("assertion", requests=request(change, **words))
            answered(login, 400, "invalid_client")
            rejected(login, "provider: rejects the client: ", login.provider_said)
            rejected(login, reason, login.provider_said)
        cases.run(f"the provider rejects the client assertion: {title}", case)

    def replayed():
        first = world.login("assertion")
        _, token, _ = signed_in(first)
        used = token.form["client_assertion"]

        def send(exchange):
            exchange.form = {**exchange.form, "client_assertion": used}
        login = world.login("assertion", requests={"/token": send})
        # The code is new, and the assertion is valid for a minute: only its second use is wrong.
        answered(login, 400, "invalid_client")
        rejected(login, "provider: rejects the client: replayed", login.provider_said)
    cases.run("the provider rejects the client assertion: it was used before", replayed)


def wrong_token_requests(cases, world, signed_in):
    def basic(name, pair):
        def send(exchange):
            exchange.headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        return world.login(name, requests={"/token": send})

    secret = world.clients["plain"].registered["client_secret"]

    def raw_secret():
        signed_in(basic("plain", "plain:" + secret))
    cases.run("the secret as it is, where mod_auth_openidc form-encodes it", raw_secret)

    def wrong_secret():
        login = basic("plain", f"plain:{secret[:-1]}")
        token = answered(login, 401, "invalid_client")
        assert dict(token.answer_headers)["WWW-Authenticate"].startswith("Basic")
        rejected(login,
            "provider: rejects the client: claim-rejected at claims: claim client_secret",
            login.provider_said)
    cases.run("the provider rejects the secret", wrong_secret)

    def form(name, change):
        def send(exchange):
            exchange.form = changed(exchange.form, change)
        return world.login(name, requests={"/token": send})

    def control():
        signed_in(form("proof-key", {}))
    cases.run("a token request written by us", control)
    for title, name, change, reason in (
        ("another code verifier", "proof-key", {"code_verifier": "A" * 43},
            "the code_verifier does not match it"),
        ("no code verifier", "proof-key", {"code_verifier": None},
            "claim code_verifier: it is missing"),
        ("a code verifier where no challenge was", "plain", {"code_verifier": "A" * 43},
            "claim code_verifier: the request had no code_challenge"),
        ("another redirect_uri", "proof-key", {"redirect_uri": "https://rp.localhost/another"},
            "claim redirect_uri"),
        ("another code", "proof-key", {"code": "another"}, "it is unknown"),
    ):
        def case():
            login = form(name, change)
            answered(login, 400, "invalid_grant")
            rejected(login, "provider: rejects the code: ", login.provider_said)
            rejected(login, reason, login.provider_said)
        cases.run(f"the provider rejects the token request: {title}", case)

    def of_another_client():
        kept = []

        def keep(exchange):
            kept.append(exchange.form["code"])
            exchange.form = {**exchange.form, "code": "another"}
        world.login("plain", requests={"/token": keep})
        login = form("proof-key", {"code": kept[0]})
        answered(login, 400, "invalid_grant")
        rejected(login, "claim code: it is wrong or another client's", login.provider_said)
    cases.run("the provider rejects the token request: another client's code", of_another_client)

    def code_twice():
        _, token, told = signed_in(login := world.login("proof-key"))
        assert world.front.send(told).status == 200, "the access token is good"
        assert world.front.send(token).status == 400 and token.json["error"] == "invalid_grant"
        assert "a code came twice: its tokens are lost" in login.provider_said
        assert world.front.send(told).status == 401, "the access token is lost"
    cases.run("the provider rejects a code that comes twice, and its access token ends", code_twice)


def wrong_requests(cases, world, signed_in):
    now = int(time.time())
    namesake = world.new_key("--alg", "RS256", "--kid", "apache")
    stranger = world.new_key("--alg", "RSA-OAEP", "--kid", world.provider_keys[1]["kid"])

    def with_object(change, key=None, unsigned=False):
        def members(asked):
            said = changed(claims(asked["request"]), change)
            token = world.tokens.sign(key or world.client_key, said)
            if unsigned:
                token = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode(
                    ) + "." + token.split(".")[1] + "."
            return {"request": token}
        return with_query(members)

    def nested_object(to=None, content_type=None):
        """A signed object from a separate login, encrypted by us."""
        def members(asked):
            said = {name: value for name, value in asked.items() if name != "request"}
            said |= {"iss": "object-nested", "aud": world.issuer, "max_age": int(said["max_age"]),
                "claims": json.loads(said["claims"])}
            token = world.tokens.sign(world.client_key, said)
            return {"request": world.tokens.encrypt(to or world.provider_keys[1], token,
                content_type)}
        return with_query(members)

    def rejects(name, address, error, reason):
        """The browser returns with the error, and Apache signs nobody in."""
        login = world.login(name, address=address)
        came_back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(login.page.url).query))
        assert came_back.get("error") == error and "state" in came_back, login.page.url
        rejected(login, "provider: rejects the request: ", login.provider_said)
        rejected(login, reason, login.provider_said)
        assert not login.exchanges("/token")

    def passes(name, address):
        signed_in(world.login(name, address=address))

    cases.run("a request written by us", passes, "proof-key", with_query({}))
    cases.run("a request object of ours as Apache's", passes, "object", with_object({}))
    cases.run("a nonce in the object and another beside it: the object's counts", passes, "object",
        with_query({"nonce": "another"}))
    cases.run("a nested request object of ours", passes, "object-nested", nested_object())
    cases.run("a nested request object of ours with cty", passes, "object-nested",
        nested_object(content_type="JWT"))
    other_address = with_query(lambda asked: {"request_uri": asked["request_uri"].replace(
        world.clients["object-address"].redirect_uri,
        world.clients["object-nested-address"].redirect_uri)})
    for title, name, address, error, reason in (
        ("no code challenge", "proof-key",
            with_query({"code_challenge": None, "code_challenge_method": None}), "invalid_request",
            "code_challenge"),
        ("the code challenge itself", "proof-key", with_query({"code_challenge_method": "plain"}),
            "invalid_request", "code_challenge_method"),
        ("another response type", "proof-key", with_query({"response_type": "id_token"}),
            "unsupported_response_type", "response_type"),
        ("an object signed by another key of the same kid", "object", with_object({}, key=namesake),
            "invalid_request_object", "signature"),
        ("an object that nobody signed", "object", with_object({}, unsigned=True),
            "invalid_request_object", "algorithm"),
        ("an object for another provider", "object",
            with_object({"aud": "https://another.example"}), "invalid_request_object", "claim aud"),
        ("an object of another client", "object", with_object({"iss": "plain"}),
            "invalid_request_object", "claim iss"),
        ("an object that has expired", "object", with_object({"exp": now - 100}),
            "invalid_request_object", "expired"),
        ("an object that names another client", "object", with_object({"client_id": "plain"}),
            "invalid_request_object", "claim client_id"),
        ("another response type beside an object", "object",
            with_query({"response_type": "id_token"}), "invalid_request_object",
            "claim response_type"),
        ("an object encrypted for another key of the same kid", "object-nested",
            nested_object(to=stranger), "invalid_request_object", "decryption-failed"),
        ("an encrypted object that holds a text", "object-nested",
            nested_object(content_type="text"), "invalid_request_object", "cty"),
        ("a signed object where a nested one was agreed on", "object-nested",
         with_query(
             lambda asked: {"request": world.tokens.sign(world.client_key,
                 {"iss": "object-nested"})}),
         "invalid_request_object", "a JWE has 5 parts"),
        ("an object at the address of another client", "object-address", other_address,
            "invalid_request_uri", "claim request_uri"),
        ("an object that is not there", "object-address",
         with_query(lambda asked: {"request_uri": asked["request_uri"] + "x"}),
         "invalid_request_uri", "the server has no document there"),
    ):
        cases.run(f"the provider rejects the request: {title}", rejects, name, address, error,
            reason)
    # Apache makes this object without a signature: its configuration has no sign_alg.
    cases.run("the provider rejects the request: Apache's object without signature", rejects,
              "object-unsigned", None, "invalid_request_object", "algorithm-not-allowed")

    def not_registered():
        """Nothing is sent to an unregistered URI, not even an error."""
        login = world.login("proof-key",
            address=with_query({"redirect_uri": world.clients["plain"].redirect_uri}))
        assert login.page.status == 400 and login.page.url.startswith(world.issuer)
        assert "claim redirect_uri" in login.provider_said and login.session() is None
    cases.run("the provider rejects the request: an address of another client to come back to",
        not_registered)


def run(cases, world, signed_in):
    wrong_assertions(cases, world, signed_in)
    wrong_token_requests(cases, world, signed_in)
    wrong_requests(cases, world, signed_in)
