"""Measures the routes of Routes/Sources/Routes by wrk, and the engine's own verification, in turns: see
`tools/run bench-routes`. Fails beyond the bounds of the page."""

import argparse
import datetime
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import time

from driver import Worker, processor, swift_version

ROUTES = {"none": "no verification", "swift-jose": "RS256, policy, typed claims: swift-jose",
          "jwt-kit": "RS256, policy, typed claims: jwt-kit"}


def status(port, route, token):
    """The status of one request, by hand: the routes must verify what they are measured with."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET /{route} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                           "Connection: close\r\n\r\n".encode())
        return int(connection.recv(64).split()[1])


def processor_time(process):
    """Microseconds of a process so far, user and system: other programs on the machine do not count."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK")


def load(server, port, route, token, seconds, connections):
    """Requests a second, all answered with 200, and the server's microseconds for each."""
    begun = processor_time(server)
    result = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-H", f"Authorization: Bearer {token}",
         f"http://127.0.0.1:{port}/{route}"], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in result or "Socket errors" in result:
        raise SystemExit(f"{route}: {result}")
    count = int(re.search(r"(\d+) requests in", result)[1])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", result)[1]), (processor_time(server) - begun) / count


def measure(given):
    token = (given.folder / "jws.txt").read_text().strip()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([given.program, str(port), str(given.folder / "sig-public.json")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                status(port, "none", token)
                break
            except OSError:
                time.sleep(0.1)
        # Another first character of the signature.
        head, _, signature = token.rpartition(".")
        bad = f"{head}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"
        for route in ROUTES:
            assert status(port, route, token) == 200, route
            assert route == "none" or status(port, route, bad) == 401, f"{route} takes a bad token"
        engine = Worker([given.bench, "peer"], sys.stderr)
        turns, own = {route: [] for route in ROUTES}, []
        for number in range(given.rounds + 1):
            measured = {
                route: load(server, port, route, token, given.seconds, given.connections) for route in ROUTES}
            begun = processor_time(engine.process)
            engine.run("claims", given.verifications)
            if number > 0:  # the first round warms up
                own.append((processor_time(engine.process) - begun) / given.verifications)
                for route in ROUTES:
                    turns[route].append(measured[route])
        engine.stop()
        return turns, statistics.median(own)
    finally:
        server.terminate()
        server.wait()


def judged(turns, engine):
    """Medians of requests a second, added microseconds, and the bounds that do not hold."""
    rates = {route: statistics.median(rate for rate, _ in turns[route]) for route in ROUTES}
    times = {route: statistics.median(time for _, time in turns[route]) for route in ROUTES}
    added = {route: times[route] - times["none"] for route in ROUTES}
    has_ifma = "avx512ifma" in pathlib.Path("/proc/cpuinfo").read_text().split()
    bounds = {
        "swift-jose's route serves at least 0.82 of the requests":
            not has_ifma or rates["swift-jose"] >= 0.82 * rates["none"],
        "it adds at most 1.5 times the engine's own verification": 0 < added["swift-jose"] <= 1.5 * engine,
        "jwt-kit adds at least 3 times as much": added["jwt-kit"] >= 3 * added["swift-jose"]}
    return rates, times, added, [bound for bound, holds in bounds.items() if not holds]


def page(turns, engine, given):
    rates, times, added, _ = judged(turns, engine)
    rows = "\n".join(
        f"| {title} | {rates[route]:,.0f} | {min(turns[route])[0]:,.0f} to {max(turns[route])[0]:,.0f} | "
        f"{rates[route] / rates['none']:.2f} | {times[route]:.1f} µs | "
        + (f"{added[route]:.1f} µs |" if route != "none" else "– |") for route, title in ROUTES.items())
    return f"""# Routes of a web framework

Written by `tools/run bench-routes` on {datetime.date.today().isoformat()}, {processor()}, load of the last minute {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.
Hummingbird {swift_version("hummingbird", "Routes")}, jwt-kit {swift_version("jwt-kit", "Routes")}, release build; `wrk` with one thread and {given.connections} connections on the same machine. The three routes run in turns of {given.seconds} seconds in one process, each round followed by the engine's own verification; numbers are medians of {given.rounds} rounds. All routes read the header. Two verify the same token with the same key, check `iss`, `aud` and `exp`, and decode 20 claims into a type. Times are processor times of the server for one request.

| route | requests a second | lowest to highest | share | time | added |
| --- | ---: | ---: | ---: | ---: | ---: |
{rows}

The engine's own verification on one thread, with the same policy and type, takes {engine:.1f} µs of processor time; the route adds {added["swift-jose"] / engine:.2f} times that. jwt-kit adds {added["jwt-kit"] / added["swift-jose"]:.1f} times as much as swift-jose.
"""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--bench", required=True, help="the program of the benchmarks")
    options.add_argument("--folder", required=True, type=pathlib.Path)
    options.add_argument("--out", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--connections", type=int, default=32)
    options.add_argument("--verifications", type=int, default=100_000)
    given = options.parse_args()
    turns, engine = measure(given)
    text = page(turns, engine, given)
    print(text)
    if given.out:
        given.out.write_text(text)
    *_, beyond = judged(turns, engine)
    if beyond:
        raise SystemExit("bounds that do not hold: " + "; ".join(beyond))


if __name__ == "__main__":
    main()
