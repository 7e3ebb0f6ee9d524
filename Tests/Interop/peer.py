"""Our side of an OpenID login as a process, `openid-peer`: one JSON request per line, one JSON
response per line."""

import json
import subprocess


class Peer:
    """Our side. `ask` returns the response of one operation."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.jwks = self.ask("keys")["jwks"]

    def ask(self, op, **members):
        self.process.stdin.write(json.dumps({"op": op, **members}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"openid-peer ended at {op}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
