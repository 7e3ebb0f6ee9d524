"""The protocol of `josectl batch`: order, ids, bad lines, limits, responses while the input
pauses."""

import json
import selectors
import subprocess

from batch import Batch, b64u, verdict


def run(josectl, key, token, tally):
    """`key` is a public JWK and `token` a JWS that it verifies."""
    batch, group = Batch(josectl), "batch protocol"
    good = {"op": "jws.verify", "key": key, "token": token, "algs": ["RS256"]}

    def lines(name, data, *wanted):
        """The results in the responses to some bytes."""
        answers = batch.ask_lines(data)
        got = [(verdict(answer), answer.get("id", "no id")) for answer in answers]
        tally.check(group, name, got == list(wanted), f"expected {wanted}, got {got}")

    def line(**members):
        return json.dumps(members).encode() + b"\n"

    lines("nothing", b"")
    lines("no newline at the end", line(id=1, **good).rstrip(), ("ok", 1))
    lines("not JSON", b"hello\n", ("malformed", None))
    lines("an array", b"[]\n", ("malformed", None))
    lines("cut", b'{"id":1,"op":"jws.ver\n', ("malformed", None))
    lines("not UTF-8", b'{"id":1,"op":"\xff"}\n', ("malformed", None))
    lines("a member twice", b'{"id":1,"id":1,"op":"jws.verify"}\n', ("malformed", None))
    lines("deep", b'{"id":1,"op":' + b"[" * 5000 + b"]" * 5000 + b"}\n", ("malformed", None))
    lines("no op", line(id=1), ("misuse", 1))
    lines("op of another type", line(id=1, op=7), ("misuse", 1))
    lines("unknown op", line(id=1, op="jws.guess"), ("unsupported", 1))
    lines("missing member", line(id=1, op="jws.verify", token=token), ("misuse", 1))
    lines("unknown option", line(id=1, **good, algorithms=["RS256"]), ("misuse", 1))
    lines("no allow-list: what is recommended and fits the key",
        line(id=1, op="jws.verify", key=key, token=token), ("ok", 1))
    lines("payload not base64url",
        line(id=1, op="jwe.encrypt", key=key, alg="RSA-OAEP", enc="A128CBC-HS256", payload="a b"),
        ("malformed", 1))
    lines("signing with a public key", line(id=1, op="jws.sign", key=key, alg="RS256", payload=""),
        ("key-unusable", 1))
    lines("a bad line between good ones", line(id="a", **good) + b"?\n" + line(id="b", **good),
        ("ok", "a"), ("malformed", None), ("ok", "b"))

    # ids are returned as they were written
    spelled = ["1.50", "-0", "1e2", "12345678901234567890123", '"x\\u0041\\n"', '"\u00e9"', "null",
        "true", '[1, 2]', '{"a":1}']
    data = "".join('{"id":%s,"op":"none"}\n' % text for text in spelled).encode()
    answers = subprocess.run(batch.command, input=data, capture_output=True,
        timeout=60).stdout.decode().splitlines()
    for text, answer in zip(spelled, answers):
        tally.check(group, f"id {text}", f'"id":{text}' in answer.replace('"id": ', '"id":'),
            answer)

    # responses have the order of the requests, on any number of cores
    bad = {**good, "token": token[:-8] + "AAAAAAAA"}
    for jobs in ("1", "2", "7"):
        answers = Batch(josectl, "--jobs", jobs).ask([good if i % 3 else bad for i in range(400)])
        right = [verdict(a) for a in answers] == ["ok" if i % 3 else "signature-invalid"
            for i in range(400)]
        tally.check(group, f"400 requests, {jobs} jobs", right)

    # limits can be raised by options, or apply
    long = {"op": "jws.verify", "key": key,
        "token": "eyJhbGciOiJSUzI1NiJ9." + b64u(bytes(400_000)) + "." + "A" * 342,
        "algs": ["RS256"]}
    tally.expect(group, "a token over the limit", batch.ask([long])[0], "limit-exceeded")
    tally.expect(group, "the limit raised", Batch(josectl, "--max-bytes", "1000000").ask([long])[0],
        "signature-invalid")

    tally.check(group, "an answer while the input pauses", pauses(batch.command, good))


def pauses(command, request):
    """One request, and the input stays open: the response must come."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        for number in range(3):
            process.stdin.write(json.dumps({"id": number, **request}).encode() + b"\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as ready:
                ready.register(process.stdout, selectors.EVENT_READ)
                if not ready.select(timeout=20):
                    return False
            if json.loads(process.stdout.readline()).get("id") != number:
                return False
        process.stdin.close()
        return process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.wait()
