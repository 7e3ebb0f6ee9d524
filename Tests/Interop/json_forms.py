"""JSON serializations both ways with jwcrypto: flattened and general, several signers, detached and
unencoded payloads. Every token is also corrupted in each of its members, which must be rejected.
"""

import copy
import json

import jwcrypto.jwe
import jwcrypto.jws

from batch import b64u, payload_of, unb64u
from foreign import ENC, jwcrypto_key

TOKENS = 25  # of each kind, each way
SIGNERS = [1, 2, 3, 16]


def run(side, batch, random, tally):
    pairs = [side.new_key(kid=f"signer-{index}", use="sig") for index in range(4)]
    signatures_to_us(pairs, batch, random, tally)
    signatures_from_us(pairs, batch, random, tally)
    recipients = [side.new_key(kid=f"recipient-{index}", use="enc") for index in range(4)]
    encryption_to_us(recipients, batch, random, tally)
    encryption_from_us(recipients, batch, random, tally)


def payload(random, index):
    return random.randbytes([0, 1, 2, 3, 100, 4096][index % 6])


def plain(random, index):
    """A payload for tokens that contain it as text."""
    return "".join(random.choice("$.é\"\\ ab漢") for _ in range(index % 40)).encode()


# ---- JWS

def signed(pairs, data, random, index):
    """A token by jwcrypto: (object, detached payload or None, unencoded, number of signers)."""
    count = SIGNERS[index % 4]
    unencoded, apart = index % 3 == 2, index % 5 == 4
    token = jwcrypto.jws.JWS(data.decode() if unencoded else data)  # text that JSON can contain
    for place in range(count):
        private, public = pairs[place % 4]
        header = {"alg": "RS256", "n": place}
        if unencoded:
            header |= {"b64": False, "crit": ["b64"]}
        kid = {"kid": public["kid"]}
        protected, unprotected = (header | kid, {"x": [place]}) if place % 2 else (header, kid)
        token.add_signature(jwcrypto_key(private), None, json.dumps(protected),
            json.dumps(unprotected))
    if apart:
        token.detach_payload()
    return json.loads(token.serialize()), (data if apart else None), unencoded, count


def signatures_to_us(pairs, batch, random, tally):
    group = "jwcrypto to us, JSON RS256"
    keys = {"keys": [public for _, public in pairs]}
    requests, sent = [], []
    for index in range(TOKENS):
        data = plain(random, index) if index % 3 == 2 else payload(random, index)
        token, apart, unencoded, count = signed(pairs, data, random, index)
        request = {"op": "jws.verify", "token": token, "algs": ["RS256"], "b64": not unencoded}
        if apart is not None:
            request["detached_payload"] = b64u(apart)
        # a set and the rule for all of it, or only the first signer's key
        request |= {"keys": keys, "signatures": "all"} if index % 2 else {"key": pairs[0][1]}
        requests.append(request)
        sent.append((data, count if index % 2 else 1))
    for (data, count), answer in zip(sent, batch.ask(requests)):
        size = f"{len(data)} bytes, {count} signatures"
        if tally.expect(group, size, answer, "ok"):
            tally.check(group + ", payload", size, payload_of(answer) == data, "another payload")
            tally.check(group + ", signatures", size, len(answer["signatures"]) == count,
                f"{answer['signatures']}")
    reject(group + ", tampered", [r for r in requests if "keys" in r], damaged_signatures, batch,
        random, tally)


def damaged_signatures(request, random):
    """(what was done, the request with a corrupted token, the accepted codes)."""
    token = request["token"]
    general = "signatures" in token

    def changed(name, edit, *codes):
        other = copy.deepcopy(token)
        edit(other, other["signatures"][-1] if general else other)
        return name, {**request, "token": other}, codes

    def flip(part, member):
        raw = bytearray(unb64u(part[member]))
        raw[random.randrange(len(raw))] ^= 1
        part[member] = b64u(bytes(raw))

    yield changed("signature bit", lambda token, part: flip(part, "signature"), "signature-invalid")
    yield changed("signature cut", lambda token,
        part: part.update(signature=b64u(unb64u(part["signature"])[:-1])), "signature-invalid")
    yield changed("no signature", lambda token, part: part.pop("signature"), "malformed")
    yield changed("padding", lambda token, part: part.update(signature=part["signature"] + "="),
        "malformed")
    yield changed("space in the header", lambda token,
        part: part.update(protected=b64u(unb64u(part["protected"]).replace(b"{", b"{ ", 1))),
        "signature-invalid")
    yield changed("no protected header", lambda token, part: part.pop("protected"), "malformed")
    yield changed("empty header", lambda token, part: part.update(header={}), "malformed")
    yield changed("alg twice", lambda token,
        part: part.update(header={**part["header"], "alg": "RS256"}), "malformed")
    yield changed("n twice", lambda token, part: part.update(header={**part["header"], "n": 0}),
        "malformed")
    yield changed("crit unprotected", lambda token,
        part: part.update(header={**part["header"], "crit": ["x"], "x": 1}), "malformed")
    yield changed("b64 unprotected", lambda token,
        part: part.update(header={**part["header"], "b64": False}), "malformed")
    yield changed("ciphertext", lambda token, part: token.update(ciphertext=""), "malformed")
    yield changed("a dot in a name", lambda token, part: token.update({"a.b.c": 1}), "malformed")
    yield changed("both forms", lambda token, part: token.update(signature="", signatures=[{}]),
        "malformed")
    # jwcrypto leaves an empty string when it detaches the payload
    if token.get("payload"):
        yield changed("payload longer", lambda token,
            part: token.update(payload=token["payload"] + "A"), "signature-invalid")
        yield changed("no payload", lambda token, part: token.pop("payload"), "malformed")
        if "detached_payload" not in request:
            yield "payload twice", {**request, "detached_payload": b64u(b"x")}, ("malformed",)
    else:
        yield "another payload", {**request,
            "detached_payload": b64u(b"another")}, ("signature-invalid",)
        yield "no payload given", {k: v for k,
            v in request.items() if k != "detached_payload"}, ("malformed", "signature-invalid")
    yield "another b64", {**request, "b64": not request["b64"]}, ("unsupported",)
    if general:
        yield changed("no signatures", lambda token, part: token.update(signatures=[]), "malformed")
        yield changed("17 signatures", lambda token, part: token.update(signatures=[part] * 17),
            "limit-exceeded")


def reject(group, requests, damages, batch, random, tally):
    wanted = [damage for request in requests for damage in damages(request, random)]
    answers = batch.ask([request for _, request, _ in wanted])
    for (name, _, codes), answer in zip(wanted, answers):
        got = (answer.get("error") or {}).get("code", "ok")
        tally.check(group, name, got in codes, f"expected {codes}, got {got}")


def signatures_from_us(pairs, batch, random, tally):
    group = "us to jwcrypto, JSON RS256"
    requests, sent = [], []
    for index in range(TOKENS):
        count = SIGNERS[index % 4]
        unencoded, apart = index % 3 == 2, index % 5 == 4
        data = plain(random, index) if unencoded else payload(random, index)
        signers = [{"key": pairs[place % 4][0], "alg": "RS256", "header": {"n": place},
            "unprotected": {"x": [place]}} for place in range(count)]
        requests.append({"op": "jws.sign", "signers": signers, "payload": b64u(data),
                         "b64": not unencoded, "detached": apart,
                         "form": "flattened" if count == 1 and index % 8 else "general"})
        sent.append((data, apart, count))
    for (data, apart, count), answer in zip(sent, batch.ask(requests)):
        size = f"{len(data)} bytes, {count} signatures"
        if not tally.expect(group, size, answer, "ok"):
            continue
        for place in range(count):
            read = opened(answer["token"], pairs[place % 4][1], data if apart else None)
            tally.check(group + ", opened", size, read == data, f"read {read!r:.80}")


def opened(token, key, apart):
    """The payload as jwcrypto reads it with this signer's key, or its error."""
    try:
        read = jwcrypto.jws.JWS()
        read.allowed_algs = ["RS256"]
        read.deserialize(json.dumps(token))
        read.verify(jwcrypto_key(key), detached_payload=apart)
        return bytes(apart if apart is not None else as_bytes(read.payload))
    except Exception as problem:  # a foreign exception is a failed check
        return f"{type(problem).__name__}: {problem}"


def as_bytes(data):
    return data.encode() if isinstance(data, str) else data


# ---- JWE

RSA = ["RSA-OAEP", "RSA-OAEP-256"]


def encrypted(pairs, data, random, index):
    """A token by jwcrypto: (object, number of recipients, additional data)."""
    count, aad = SIGNERS[index % 4], random.randbytes(index % 4 * 5)
    alg = RSA[index % 2]
    protected, shared = ({"enc": ENC},
        {"x": [index]}) if index % 3 else ({"enc": ENC, "alg": alg, "x": 1}, None)
    token = jwcrypto.jwe.JWE(data, json.dumps(protected), json.dumps(shared) if shared else None,
        aad.decode("latin-1") if aad else None)
    token.allowed_algs = [*RSA, ENC]
    for place in range(count):
        own = {"kid": pairs[place % 4][1]["kid"]} | ({} if "alg" in protected
            else {"alg": RSA[place % 2]})
        token.add_recipient(jwcrypto_key(pairs[place % 4][1]), json.dumps(own))
    # jwcrypto takes the data as text, and authenticates its UTF-8
    return json.loads(token.serialize()), count, aad.decode("latin-1").encode()


def encryption_to_us(pairs, batch, random, tally):
    group = "jwcrypto to us, JSON RSA-OAEP"
    requests, sent = [], []
    for index in range(TOKENS):
        data = payload(random, index) or b"x"
        token, count, aad = encrypted(pairs, data, random, index)
        for place in range(min(count, 4)):
            key = {"keys": {"keys": [pairs[place][0]]}} if index % 2 else {"key": pairs[place][0]}
            requests.append({"op": "jwe.decrypt", "token": token, "algs": RSA, "encs": [ENC],
                **key})
            sent.append((data, count, aad))
    for (data, count, aad), answer in zip(sent, batch.ask(requests)):
        size = f"{len(data)} bytes, {count} recipients"
        if tally.expect(group, size, answer, "ok"):
            tally.check(group + ", payload", size, payload_of(answer) == data, "another payload")
            tally.check(group + ", aad", size, unb64u(answer["aad"]) == aad, f"{answer['aad']}")
    reject(group + ", tampered", requests[::3], damaged_encryption, batch, random, tally)


def damaged_encryption(request, random):
    token = request["token"]
    general = "recipients" in token

    def changed(name, edit, *codes):
        other = copy.deepcopy(token)
        for part in other["recipients"] if general else [other]:
            edit(other, part)
        return name, {**request, "token": other}, codes

    def flip(part, member):
        raw = bytearray(unb64u(part[member]))
        raw[random.randrange(len(raw))] ^= 1
        part[member] = b64u(bytes(raw))

    for member in ("iv", "ciphertext", "tag"):
        damaged = copy.deepcopy(token)
        flip(damaged, member)
        yield f"{member} bit", {**request, "token": damaged}, ("decryption-failed",)
    yield changed("encrypted key bit", lambda token, part: flip(part, "encrypted_key"),
        "decryption-failed")
    yield changed("no encrypted key", lambda token, part: part.pop("encrypted_key"),
        "decryption-failed")
    yield changed("no tag", lambda token, part: token.pop("tag", None), "decryption-failed")
    yield changed("no iv", lambda token, part: token.pop("iv", None), "decryption-failed")
    yield changed("no ciphertext", lambda token, part: token.pop("ciphertext", None), "malformed")
    yield changed("aad", lambda token, part: token.update(aad="ZXh0cmE"), "decryption-failed")
    yield changed("empty aad", lambda token, part: token.update(aad=""), "malformed")
    yield changed("enc twice", lambda token,
        part: part.update(header={**part.get("header", {}), "enc": ENC}), "malformed")
    yield changed("zip unprotected", lambda token,
        part: part.update(header={**part.get("header", {}), "zip": "DEF"}), "malformed")
    yield changed("crit unprotected", lambda token,
        part: token.update(unprotected={"crit": ["y"], "y": 1}), "malformed")
    yield changed("empty shared header", lambda token, part: token.update(unprotected={}),
        "malformed")
    yield changed("payload", lambda token, part: token.update(payload=""), "malformed")
    yield changed("a dot in a name", lambda token, part: token.update({"a.b.c.d.e": 1}),
        "malformed")
    yield "another algorithm", {**request, "algs": ["RSA-OAEP-512"]}, ("algorithm-not-allowed",)
    if general:
        yield changed("no recipients", lambda token, part: token.update(recipients=[]), "malformed")
        damaged = {**copy.deepcopy(token), "recipients": [token["recipients"][0]] * 17}
        yield "17 recipients", {**request, "token": damaged}, ("limit-exceeded",)


def encryption_from_us(pairs, batch, random, tally):
    group = "us to jwcrypto, JSON RSA-OAEP"
    requests, sent = [], []
    for index in range(TOKENS):
        count, data, aad = SIGNERS[index % 4], payload(random,
            index) or b"x", random.randbytes(index % 4 * 5)
        aad = aad.decode("latin-1").encode()
        recipients = [{"key": pairs[place % 4][1], "alg": RSA[place % 2], "header": {"n": place}}
            for place in range(count)]
        request = {"op": "jwe.encrypt", "recipients": recipients, "enc": ENC, "payload": b64u(data),
                   "unprotected": {"x": index},
                   "form": "flattened" if count == 1 and index % 8 else "general"}
        requests.append({**request, "aad": b64u(aad)} if aad else request)
        sent.append((data, count))
    for (data, count), answer in zip(sent, batch.ask(requests)):
        size = f"{len(data)} bytes, {count} recipients"
        if not tally.expect(group, size, answer, "ok"):
            continue
        for place in range(min(count, 4)):
            read = opened_by_recipient(answer["token"], pairs[place][0])
            tally.check(group + ", opened", size, read == data, f"read {read!r:.80}")


def opened_by_recipient(token, key):
    """The payload as jwcrypto reads it with this recipient's key, or its error."""
    try:
        read = jwcrypto.jwe.JWE()
        read.allowed_algs = [*RSA, ENC]
        read.deserialize(json.dumps(token))
        read.decrypt(jwcrypto_key(key))
        return bytes(read.payload)
    except Exception as problem:  # a foreign exception is a failed check
        return f"{type(problem).__name__}: {problem}"
