"""Our relying party with glewlwyd: every case prints a line, and one that could not run has failed.

usage: glewlwyd_run.py PACKAGE FOLDER KEYS PORT PEER RELYING-PARTY SITE-PORT
"""

import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import glewlwyd_example  # noqa: E402,F401: its cases
import glewlwyd_logins  # noqa: E402
import glewlwyd_rejections  # noqa: E402,F401: its cases
from glewlwyd import Glewlwyd  # noqa: E402
from peer import Peer  # noqa: E402


def main(package, folder, keys, port, program, party, site_port):
    failed = 0
    peer = Peer(program)
    try:
        with Glewlwyd(package, folder, keys, int(port)) as server:
            version = server.version()
            stage = glewlwyd_logins.Stage(server, peer, party, int(site_port))
            for name, run in glewlwyd_logins.CASES:
                try:
                    run(stage)
                    print("ok     ", name)
                except Exception as error:
                    failed += 1
                    print("FAILED ", name, f"{type(error).__name__}: {error}", sep="\n        ")
    finally:
        peer.close()
    count = len(glewlwyd_logins.CASES)
    print(f"glewlwyd {version}: {count} cases, {count - failed} passed, {failed} failed")
    return 1 if failed or not count else 0


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no started process is left
sys.exit(main(*sys.argv[1:]))
