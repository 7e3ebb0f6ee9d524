"""What mod_auth_openidc rejects of the provider's responses: one defect at a time, with its reason
in the error log.

Each table begins with the same message of ours without a defect, which passes.
"""

import time

from tokens import claims
from wrongs import broken_end, changed, rejected, with_query


def id_token(world, change, key=None, damage=None, to=None):
    """The token response with an ID Token that we made from the provider's."""
    def answer(exchange):
        members = exchange.json
        token = members["id_token"]
        is_nested = token.count(".") == 4
        if is_nested:
            token = world.tokens.decrypt(world.client_key, token)
        token = world.tokens.sign(key or world.provider_keys[0], changed(claims(token), change))
        if is_nested:
            token = world.tokens.encrypt(to or world.client_key, token)
        members["id_token"] = damage(token) if damage else token
        exchange.json = members
    return {"/token": answer}


def user_info(world, change, key=None):
    """The UserInfo response, made by us from the provider's."""
    def answer(exchange):
        if exchange.answer.count(".") == 4:
            members = changed(claims(world.tokens.decrypt(world.client_key, exchange.answer)),
                change)
            token = world.tokens.sign(key or world.provider_keys[0], members)
            exchange.answer = world.tokens.encrypt(world.client_key, token)
        else:
            exchange.json = changed(exchange.json, change)
    return {"/userinfo": answer}


def wrong_id_tokens(cases, world, signed_in):
    now = int(time.time())
    namesake = world.new_key("--alg", "RS256", "--kid", world.provider_keys[0]["kid"])
    stranger = world.new_key("--alg", "RS256", "--kid", "stranger")
    other_reader = world.new_key("--alg", "RSA-OAEP", "--kid", "apache")
    table = [
        ("it has expired", {"exp": now - 100}, {}, '"exp" validation failure'),
        ("nonce of another login", {"nonce": "another"}, {},
            "the nonce value (another) in the id_token did not match"),
        ("no nonce", {"nonce": None}, {}, 'id_token JSON payload did not contain a "nonce" string'),
        ("aud of another client", {"aud": "another"}, {},
            'did not match the "aud" claim value (another)'),
        ("iss of another provider", {"iss": "https://another.example"}, {},
         'does not match received "iss" value in id_token (https://another.example)'),
        ("iat long ago", {"iat": now - 7200}, {}, '"iat" validation failure'),
        ("at_hash of another access token", {"at_hash": "A" * 22}, {},
            'provided "at_hash" hash value'),
        ("signed by another key of the same kid", {}, {"key": namesake},
            "JWT signature verification failed"),
        ("signed by a key that is not published", {}, {"key": stranger},
            "could not find key with kid: stranger"),
    ]
    for name in ("plain", "nested"):
        def control():
            signed_in(world.login(name, answers=id_token(world, {})))
        cases.run(f"{name}: an ID Token of ours as the provider's", control)
        # The last part is a signature or an authentication tag.
        broken = ("encrypted JWT could not be decrypted" if name == "nested"
                  else "JWT signature verification failed")
        last = [("it is damaged", {}, {"damage": broken_end}, broken)]
        if name == "nested":
            last.append(("encrypted for another key of the same kid", {}, {"to": other_reader},
                "encrypted JWT could not be decrypted"))
        for title, change, words, reason in table + last:
            def case():
                login = world.login(name, answers=id_token(world, change, **words))
                assert [exchange.status for exchange in login.exchanges("/token")] == [
                    200] and "rejects" not in login.provider_said
                rejected(login, reason, login.apache_said)
                assert not login.exchanges("/userinfo")
            cases.run(f"{name}: Apache rejects the ID Token: {title}", case)


def wrong_user_infos(cases, world, signed_in):
    namesake = world.new_key("--alg", "RS256", "--kid", world.provider_keys[0]["kid"])
    for name, title, change, key, reason in (
        ("plain", "of another user", {"sub": "another"}, None,
            '"sub" claim ("another") returned from userinfo endpoint does not match'),
        ("plain", "of nobody", {"sub": None}, None, "sub"),
        ("nested", "of another user", {"sub": "another"}, None,
            '"sub" claim ("another") returned from userinfo endpoint does not match'),
        ("nested", "signed by another key", {}, namesake, "JWT signature verification failed"),
    ):
        def case():
            signed_in(world.login(name, answers=user_info(world, {})))
            login = world.login(name, answers=user_info(world, change, key))
            # It still signs the user in, by the ID Token alone.
            assert (reason in login.apache_said and "nothing will be stored in the session"
                    in login.apache_said), login.apache_said
            assert "userinfo" not in login.session(), login.session()
        cases.run(f"{name}: Apache rejects UserInfo: {title}", case)


def wrong_callbacks(cases, world, signed_in):
    def control():
        signed_in(world.login("proof-key", callback=with_query({})))
    cases.run("the answer written by us", control)
    for title, change, reason in (
        ("state of another login", {"state": "another"}, "unable to restore state"),
        ("iss of another provider", {"iss": "https://another.example"},
         "does not match the issuer provided in the response by the OP (https://another.example)"),
    ):
        def case():
            login = world.login("proof-key", callback=with_query(change))
            rejected(login, reason, login.apache_said)
            assert not login.exchanges("/token")
        cases.run(f"Apache rejects the answer: {title}", case)

    def stolen():
        """The response in another browser than the one that made the request."""
        victim = []

        def callback(url):
            victim.append(url)
            return url
        signed_in(world.login("proof-key", callback=callback))
        login = world.login("proof-key", callback=lambda url: url.replace(url, victim[0]))
        rejected(login, "unable to restore state", login.apache_said)
    cases.run("Apache rejects the answer: of another browser", stolen)


def run(cases, world, signed_in):
    wrong_id_tokens(cases, world, signed_in)
    wrong_user_infos(cases, world, signed_in)
    wrong_callbacks(cases, world, signed_in)


def after_rotation(cases, world, signed_in):
    """A withdrawn key is not used."""
    old = world.provider_keys

    def withdrawn():
        world.rotate("last")
        login = world.login("plain", answers=id_token(world, {}, key=old[0]))
        rejected(login, f"could not find key with kid: {old[0]['kid']}", login.apache_said)
    cases.run("Apache rejects the ID Token: signed by a key that was withdrawn", withdrawn)
