#!/usr/bin/env python3
"""Compares what the JSON reader understood with Python's, made strict: differential.py ANSWERS"""

import base64
import json
import re
import sys

number = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


class Rejected(Exception):
    pass


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise Rejected("a name twice")
    return ("object", tuple(pairs))


def text_of(text):
    if not number.match(text):
        raise Rejected("no number")
    return ("number", text)


def reject(_):
    raise Rejected("no JSON")


def depth(value):
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    if isinstance(value, tuple) and value[0] == "object":
        return 1 + max((depth(inner) for _, inner in value[1]), default=0)
    return 0


def surrogates(value):
    if isinstance(value, str):
        return any(0xD800 <= ord(c) <= 0xDFFF for c in value)
    if isinstance(value, list):
        return any(map(surrogates, value))
    if isinstance(value, tuple) and value[0] == "object":
        return any(surrogates(name) or surrogates(inner) for name, inner in value[1])
    return False


def read(data):
    """The value; None if the text is not what RFC 8259, RFC 7493 and the depth limit of 32
    allow."""
    try:
        text = data.decode("utf-8", "strict")
        value = json.loads(text, object_pairs_hook=once, parse_int=text_of, parse_float=text_of,
                           parse_constant=reject)
    except (UnicodeDecodeError, ValueError, Rejected, RecursionError):
        return None
    if text.startswith("\ufeff") or depth(value) > 32 or surrogates(value):
        return None
    return ("value", value)


compared = accepted = 0
for line in open(sys.argv[1]):
    entry = json.loads(line)
    data = base64.b64decode(entry["input"])
    theirs = read(data)
    ours = entry["answer"] and read(base64.b64decode(entry["answer"]))
    compared += 1
    accepted += theirs is not None
    if ours != theirs:
        sys.exit(f"differential: {data!r}: Python reads {theirs!r}, this library {ours!r}")
print(f"{compared} texts read alike, {accepted} of them accepted")
if accepted < 20 or compared - accepted < 20:
    sys.exit("differential: too few texts of one kind to say anything")
