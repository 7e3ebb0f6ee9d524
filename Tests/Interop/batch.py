"""Runs `josectl batch`, with small helpers that every program here needs."""

import base64
import json
import subprocess
import tempfile


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64u(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Batch:
    """Each `ask` runs one process over all requests, by files, so that neither side waits for the
    other."""

    def __init__(self, josectl, *options):
        self.command = [josectl, "batch", *options]

    def ask(self, requests):
        """The responses to `requests` (dictionaries, or text to send as it is), in order."""
        lines = [r if isinstance(r, str) else json.dumps({"id": i, **r}) for i,
            r in enumerate(requests)]
        answers = self.ask_lines("".join(line + "\n" for line in lines).encode("utf-8",
            "surrogatepass"))
        if len(answers) != len(requests):
            raise SystemExit(f"batch gave {len(answers)} answers to {len(requests)} requests")
        for i, (request, answer) in enumerate(zip(requests, answers)):
            if not isinstance(request, str) and answer.get("id") != i:
                raise SystemExit(f"answer {i} has the id {answer.get('id')!r}: {answer}")
        return answers

    def ask_lines(self, data):
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
            source.write(data)
            source.seek(0)
            done = subprocess.run(self.command, stdin=source, stdout=sink, stderr=subprocess.PIPE,
                timeout=600)
            sink.seek(0)
            if done.returncode != 0:
                raise SystemExit(
                    f"batch ended with {done.returncode}: {done.stderr.decode()[-500:]}")
            return [parsed(line) for line in sink]


def parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        raise SystemExit(f"batch wrote a line that is no JSON: {line[:200]!r}") from None


def verdict(answer):
    """`ok`, or the error code, with the claim's name if there is one."""
    if answer.get("ok") is True:
        return "ok"
    error = answer.get("error") or {}
    name = error.get("claim")
    return f"{error.get('code')} {name}" if name else str(error.get("code"))


def payload_of(answer):
    if "payload" in answer:
        return unb64u(answer["payload"])
    return answer["payload_text"].encode()


class Tally:
    """Counts checks by name, and keeps the failures."""

    def __init__(self):
        self.passed = {}
        self.failures = []

    def check(self, group, name, good, detail=""):
        if good:
            self.passed[group] = self.passed.get(group, 0) + 1
        else:
            self.failures.append(f"{group}: {name}: {detail}")

    def expect(self, group, name, answer, wanted):
        """The response must have exactly the result `wanted`."""
        got = verdict(answer)
        message = (answer.get("error") or {}).get("message", "")
        self.check(group, name, got == wanted, f"expected {wanted}, got {got} ({message})")
        return got == wanted
