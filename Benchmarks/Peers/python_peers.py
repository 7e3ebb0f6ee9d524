"""The Python libraries, each by its fastest public way with prepared keys: `python_peers.py LIBRARY FOLDER`."""

import importlib.metadata
import json
import sys
import warnings

from worker import AUDIENCE, ISSUER, NESTED, SEALED, SIGNED, Inputs, serve

warnings.simplefilter("ignore")


def check(condition):
    if not condition:
        raise ValueError("wrong result")


def jwcrypto(given):
    from jwcrypto import jwe, jwk, jws, jwt

    signing, verifying = jwk.JWK(**given.signing), jwk.JWK(**given.verifying)
    encrypting, decrypting = jwk.JWK(**given.encrypting), jwk.JWK(**given.decrypting)
    signed, sealed, nested = json.dumps(SIGNED), json.dumps(SEALED), json.dumps(NESTED)

    def verify(token=given.jws):
        read = jws.JWS()
        read.deserialize(token, verifying)
        return read.payload

    def claims():
        jwt.JWT(jwt=given.jws, key=verifying, check_claims={"iss": ISSUER, "aud": AUDIENCE, "exp": None})

    def sign():
        made = jws.JWS(given.claims_text)
        made.add_signature(signing, None, signed)
        return made.serialize(compact=True)

    def encrypt(payload, header=sealed):
        made = jwe.JWE(payload, header)
        made.add_recipient(encrypting)
        return made.serialize(compact=True)

    def decrypt(token):
        read = jwe.JWE()
        read.deserialize(token, decrypting)
        return read.payload

    return {
        "verify": verify, "claims": claims, "sign": sign,
        "encrypt-600": lambda: encrypt(given.small), "encrypt-64k": lambda: encrypt(given.large),
        "decrypt-600": lambda: check(decrypt(given.jwe_small) == given.small),
        "decrypt-64k": lambda: check(decrypt(given.jwe_large) == given.large),
        "nested-make": lambda: encrypt(sign(), nested),
        "nested-open": lambda: json.loads(verify(decrypt(given.nested).decode())),
        "set-pick": lambda: check(jwk.JWKSet.from_json(given.key_set).get_key(given.picked)),
    }


def joserfc(given):
    from joserfc import jwe, jws, jwt
    from joserfc.jwk import KeySet, RSAKey

    signing, verifying = RSAKey.import_key(given.signing), RSAKey.import_key(given.verifying)
    encrypting, decrypting = RSAKey.import_key(given.encrypting), RSAKey.import_key(given.decrypting)
    rules = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": ISSUER}, aud={"essential": True, "value": AUDIENCE},
        exp={"essential": True})
    registry = jwe.JWERegistry(algorithms=["RSA-OAEP", "A128CBC-HS256"])
    jws_registry = jws.JWSRegistry(algorithms=["RS256"])
    for limit in ("max_ciphertext_length", "max_payload_length"):
        for owner in (registry, jws_registry):
            if hasattr(owner, limit):
                setattr(owner, limit, 1 << 20)

    def verify(token=given.jws):
        return jws.deserialize_compact(token, verifying, registry=jws_registry).payload

    def sign():
        return jws.serialize_compact(SIGNED, given.claims_text, signing, registry=jws_registry)

    def encrypt(payload, header=SEALED):
        return jwe.encrypt_compact(header, payload, encrypting, registry=registry)

    def decrypt(token):
        return jwe.decrypt_compact(token, decrypting, registry=registry).plaintext

    return {
        "verify": verify,
        "claims": lambda: rules.validate(jwt.decode(given.jws, verifying, algorithms=["RS256"]).claims),
        "sign": sign,
        "encrypt-600": lambda: encrypt(given.small), "encrypt-64k": lambda: encrypt(given.large),
        "decrypt-600": lambda: check(decrypt(given.jwe_small) == given.small),
        "decrypt-64k": lambda: check(decrypt(given.jwe_large) == given.large),
        "nested-make": lambda: encrypt(sign(), NESTED),
        "nested-open": lambda: rules.validate(json.loads(verify(decrypt(given.nested)))),
        "set-pick": lambda: KeySet.import_key_set(json.loads(given.key_set)).get_by_kid(given.picked),
    }


def authlib(given):
    from authlib.jose import JsonWebEncryption, JsonWebKey, JsonWebSignature, JsonWebToken

    signing, verifying = JsonWebKey.import_key(given.signing), JsonWebKey.import_key(given.verifying)
    encrypting = JsonWebKey.import_key(given.encrypting)
    decrypting = JsonWebKey.import_key(given.decrypting)
    jws, jwe, jwt = JsonWebSignature(["RS256"]), JsonWebEncryption(), JsonWebToken(["RS256"])
    rules = {
        "iss": {"essential": True, "value": ISSUER}, "aud": {"essential": True, "value": AUDIENCE},
        "exp": {"essential": True}}

    def verify(token=given.jws):
        return jws.deserialize_compact(token, verifying)["payload"]

    def sign():
        return jws.serialize_compact(SIGNED, given.claims_text, signing)

    def encrypt(payload, header=SEALED):
        return jwe.serialize_compact(header, payload, encrypting)

    def decrypt(token):
        return jwe.deserialize_compact(token, decrypting)["payload"]

    return {
        "verify": verify,
        "claims": lambda: jwt.decode(given.jws, verifying, claims_options=rules).validate(),
        "sign": sign,
        "encrypt-600": lambda: encrypt(given.small), "encrypt-64k": lambda: encrypt(given.large),
        "decrypt-600": lambda: check(decrypt(given.jwe_small) == given.small),
        "decrypt-64k": lambda: check(decrypt(given.jwe_large) == given.large),
        "nested-make": lambda: encrypt(sign(), NESTED),
        "nested-open": lambda: json.loads(verify(decrypt(given.nested))),
        "set-pick": lambda: JsonWebKey.import_key_set(json.loads(given.key_set)).find_by_kid(given.picked),
    }


def pyjwt(given):
    import jwt

    signing, verifying = jwt.PyJWK(given.signing).key, jwt.PyJWK(given.verifying).key
    jws = jwt.api_jws.PyJWS()

    return {
        "verify": lambda: jws.decode_complete(given.jws, verifying, algorithms=["RS256"])["payload"],
        "claims": lambda: jwt.decode(
            given.jws, verifying, algorithms=["RS256"], issuer=ISSUER, audience=AUDIENCE,
            options={"require": ["exp"]}),
        "sign": lambda: jws.encode(given.claims_text, signing, "RS256", headers=SIGNED),
        "set-pick": lambda: jwt.PyJWKSet.from_json(given.key_set)[given.picked],
    }


def python_jose(given):
    from jose import jwe, jwk, jws, jwt

    signing, verifying = jwk.construct(given.signing, "RS256"), jwk.construct(given.verifying, "RS256")
    # jwe takes key texts only and reads them each time.
    encrypting, decrypting = given.text("enc-public.pem"), given.text("enc-private.pem")

    options = {"verify_at_hash": False}  # no access token comes with ours

    def sign():
        return jws.sign(given.claims_text, signing, headers={"kid": "sig-2048"}, algorithm="RS256")

    def encrypt(payload, cty=None):
        return jwe.encrypt(payload, encrypting, "A128CBC-HS256", "RSA-OAEP", cty=cty, kid="enc-2048")

    return {
        "verify": lambda: jws.verify(given.jws, verifying, ["RS256"]),
        "claims": lambda: jwt.decode(
            given.jws, verifying, ["RS256"], options, issuer=ISSUER, audience=AUDIENCE),
        "sign": sign,
        "encrypt-600": lambda: encrypt(given.small), "encrypt-64k": lambda: encrypt(given.large),
        "decrypt-600": lambda: check(jwe.decrypt(given.jwe_small, decrypting) == given.small),
        "decrypt-64k": lambda: check(jwe.decrypt(given.jwe_large, decrypting) == given.large),
        "nested-make": lambda: encrypt(sign(), "JWT"),
        "nested-open": lambda: jwt.decode(
            jwe.decrypt(given.nested, decrypting).decode(), verifying, ["RS256"], options,
            issuer=ISSUER, audience=AUDIENCE),
    }


LIBRARIES = {
    "jwcrypto": jwcrypto, "joserfc": joserfc, "Authlib": authlib, "PyJWT": pyjwt, "python-jose": python_jose}

if __name__ == "__main__":
    library, folder = sys.argv[1:]
    serve(library, importlib.metadata.version(library), LIBRARIES[library](Inputs(folder)))
