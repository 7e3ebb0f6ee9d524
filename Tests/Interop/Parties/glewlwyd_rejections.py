"""What our relying party must reject of glewlwyd's responses, and glewlwyd of our messages. Each
passes without its defect."""

import base64
import json
from urllib.parse import parse_qsl, urlencode

from glewlwyd_logins import OTHER_USER, SECRET, USERINFO, Login, case, good, header, rejected


def changed(token):
    """A token with another signature."""
    return token[:-8] + ("AAAAAAAA" if token[-8:] != "AAAAAAAA" else "BBBBBBBB")


# ---- responses at our redirect URI

@case("rejected: an answer with a foreign state")
def foreign_state(stage):
    theirs = Login(stage).consent()
    login = Login(stage)
    rejected(login.peer.ask("answer", query=theirs), "claim-rejected", "state")
    good(login.peer.ask("answer", query=login.consent()))


@case("rejected: an answer that names another issuer")
def other_issuer(stage):
    login = Login(stage, plugin="oidc-named")
    answer = login.consent()
    mixed = urlencode(dict(parse_qsl(answer)) | {"iss": stage.server.issuer("oidc")})
    rejected(login.peer.ask("answer", query=mixed), "claim-rejected", "iss")
    good(login.peer.ask("answer", query=answer))


@case("rejected: its form_post answer with iss, which it encodes once too often")
def encoded_issuer(stage):
    login = Login(stage, plugin="oidc-named", start={"mode": "form_post"})
    answer = dict(parse_qsl(login.consent()))
    assert answer["iss"].startswith("https%3A%2F%2F"), answer
    rejected(login.peer.ask("answer", query=urlencode(answer)), "claim-rejected", "iss")
    good(login.peer.ask("answer", query=urlencode(answer | {"iss": login.issuer})))


@case("read as an error: nobody is signed in, and prompt=none asks for no page")
def no_page(stage):
    login = Login(stage)
    told = good(login.peer.ask("answer", query=login.consent(login.url + "&prompt=none")))
    assert told["error"] == "interaction_required", told


# ---- ID Tokens

@case("rejected: an ID Token for another nonce")
def other_nonce(stage):
    login = Login(stage).tokens()
    good(login.verify())
    login.begin()
    rejected(login.verify(), "claim-rejected", "nonce")


@case("rejected: an ID Token of another client, with our nonce")
def other_client(stage):
    good(Login(stage, "other").tokens().verify())
    login = Login(stage)
    code = dict(
        parse_qsl(login.consent(login.url.replace("client_id=plain", "client_id=other"), "other")))[
        "code"]
    request = login.request(code)
    pair = base64.b64encode(f"other:{SECRET}".encode()).decode()
    request["headers"]["Authorization"] = "Basic " + pair
    status, _, text = login.send(request)
    assert status == 200, text
    answer = json.loads(text)
    rejected(login.peer.ask("id_token", token=answer["id_token"],
        access_token=answer["access_token"], value=code),
            "claim-rejected", "aud")


@case("rejected: an ID Token of another issuer that has the same keys, with our nonce")
def mixed_up(stage):
    good(Login(stage, plugin="oidc-named").tokens().verify())
    login = Login(stage)
    other = stage.server.issuer("oidc-named")
    code = dict(parse_qsl(login.consent(login.url.replace(login.issuer, other))))["code"]
    request = login.request(code)
    status, _, text = login.send(request | {"url": request["url"].replace(login.issuer, other)})
    assert status == 200, text
    answer = json.loads(text)
    rejected(login.peer.ask("id_token", token=answer["id_token"],
        access_token=answer["access_token"], value=code),
            "claim-rejected", "iss")


@case("rejected: an ID Token without the acr that was asked for: glewlwyd writes none")
def no_context(stage):
    login = Login(stage, start={"contexts": ["urn:example:strong"]}).tokens()
    assert login.query["acr_values"] == "urn:example:strong", login.query
    rejected(login.verify(), "claim-rejected", "acr")


@case("rejected: an ID Token that has expired")
def expired(stage):
    login = Login(stage).tokens()
    good(login.verify(late=600))
    rejected(login.verify(late=700), "claim-rejected", "exp")


@case("rejected: an ID Token from the future")
def early(stage):
    login = Login(stage).tokens()
    good(login.verify(late=-30))
    rejected(login.verify(late=-120), "claim-rejected", "iat")


@case("rejected: an ID Token with another signature")
def other_signature(stage):
    login = Login(stage).tokens()
    rejected(login.verify(token=changed(login.id_token)), "signature-invalid")
    good(login.verify())


@case("rejected: an ID Token of another key by the published name")
def other_key(stage):
    login = Login(stage).tokens()
    good(login.verify())
    keys = json.loads(stage.published(login.issuer)["jwks"])["keys"]
    right, other = (next(key for key in keys if key["use"] == use) for use in ("sig", "enc"))
    login.party(jwks=json.dumps({"keys": [
        {"kty": "RSA", "kid": right["kid"], "alg": "RS256", "use": "sig", "e": other["e"],
            "n": other["n"]}]}))
    rejected(login.verify(), "signature-invalid")


@case("rejected: an ID Token beside another access token")
def other_access(stage):
    other = Login(stage).tokens().access
    login = Login(stage).tokens()
    good(login.verify())
    rejected(login.verify(access_token=other), "claim-rejected", "at_hash")


@case("rejected: an ID Token for another code")
def other_code(stage):
    login = Login(stage).tokens()
    good(login.verify())
    rejected(login.verify(value="another"), "claim-rejected", "c_hash")


@case("rejected: an access token in place of the ID Token")
def access_token(stage):
    login = Login(stage).tokens()
    assert header(login.access)["typ"] == "at+jwt"
    rejected(login.verify(token=login.access), "claim-rejected", "typ")
    good(login.verify())


@case("rejected: a signed ID Token where the profile wants it encrypted")
def not_nested(stage):
    login = Login(stage).tokens()
    good(login.verify())
    login.party(id_token="nested", key_alg="RSA-OAEP")
    rejected(login.verify(), "malformed")


@case("rejected: an ID Token encrypted by the OAEP that the profile does not have")
def other_oaep(stage):
    login = Login(stage, "nested-RSA-OAEP", id_token="nested", key_alg="RSA-OAEP").tokens()
    good(login.verify())
    login.party(key_alg="RSA-OAEP-256")
    rejected(login.verify(), "algorithm-not-allowed")


@case("rejected: an encrypted ID Token with another tag")
def other_tag(stage):
    login = Login(stage, "nested-RSA-OAEP-256", id_token="nested", key_alg="RSA-OAEP-256").tokens()
    rejected(login.verify(token=changed(login.id_token)), "decryption-failed")
    good(login.verify())


# ---- UserInfo

@case("rejected: UserInfo of another subject, as JSON")
@case("rejected: UserInfo of another subject, as a token", userinfo="signed", **USERINFO)
def other_subject(stage, **rules):
    other = Login(stage, **rules)
    other.tokens(other.code(user=OTHER_USER))
    theirs = other.claims()
    login = Login(stage, **rules).finish()
    rejected(login.peer.ask("userinfo", **theirs), "claim-rejected", "sub")


@case("rejected: UserInfo with its own typ where the profile does not name that")
def user_type(stage):
    login = Login(stage, userinfo="signed", **USERINFO).finish()
    login.party(userinfo_types=[])
    rejected(login.peer.ask("userinfo", **login.user), "claim-rejected", "typ")


@case("rejected: the ID Token in place of UserInfo")
def no_user(stage):
    login = Login(stage, userinfo="signed", **USERINFO).finish()
    rejected(login.peer.ask("userinfo", body=login.id_token, type="application/jwt"),
        "claim-rejected", "nonce")


# ---- what glewlwyd rejects, and our relying party's reading of it

def theirs(login, answer, wanted, error):
    status, _, text = answer
    assert status == wanted, f"{status}: {text}"
    if error:
        told = good(login.peer.ask("token_error", body=text))
        assert told["error"] == error, told


@case("glewlwyd rejects a code for the second time, and its tokens end")
def code_again(stage):
    login = Login(stage).finish()
    theirs(login, login.send(login.request(login.value)), 403, "invalid_code")
    asked = good(login.peer.ask("userinfo_request", access_token=login.access))
    assert login.web.send("GET", asked["url"], None, asked["headers"])[0] == 401


@case("glewlwyd rejects another code verifier")
def other_verifier(stage):
    login = Login(stage)
    theirs(login, login.send(login.request(login.code()), code_verifier="v" * 43), 403,
        "invalid_code")
    Login(stage).tokens()


@case("glewlwyd rejects a form-encoded Basic secret")
def encoded_secret(stage):
    login = Login(stage, raw_basic=False)
    theirs(login, login.send(login.request(login.code())), 403, "unauthorized_client")


@case("glewlwyd rejects an assertion without client_id beside it")
def no_client(stage):
    login = Login(stage, "assertion", client_in_body=False)
    theirs(login, login.send(login.request(login.code())), 400, None)


@case("glewlwyd rejects an assertion for the second time")
def assertion_again(stage):
    login = Login(stage, "assertion").tokens()
    used = login.sent["client_assertion"]
    login.begin()
    code = login.code()
    theirs(login, login.send(login.request(code), client_assertion=used), 403, None)
    login.tokens(code)


@case("glewlwyd rejects an expired assertion")
def expired_assertion(stage):
    login = Login(stage, "assertion")
    code = login.code()
    late = good(login.peer.ask("token_request", value=code, late=-3600))
    theirs(login, login.send(late), 403, None)
    login.tokens(code)


@case("glewlwyd rejects a changed Request Object")
def changed_object(stage):
    login = Login(stage, object="signed", start={"by_value": True})
    other = login.url.replace(login.query["request"], changed(login.query["request"]))
    theirs(login, login.web.send("GET", other), 403, None)
    login.code()


@case("glewlwyd takes a Request Object that has expired: it does not look at exp")
def expired_object(stage):
    login = Login(stage, object="signed", start={"by_value": True, "late": -3600})
    login.code()
