"""Texts as tokens, and the places in them where a mutant can be put.

A mutant is chosen when the program runs (JOSE_MUTANT=number), so one build serves them all. No edit adds a line.
"""

import re
from dataclasses import dataclass, field


SWAPS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}


@dataclass
class Token:
    kind: str  # word, number, text, sign, space
    text: str
    line: int


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    what: str
    function: str = ""


@dataclass
class Site:
    lines: set
    mutants: list
    edits: list  # (token, "before" | "instead" | "behind", text)


def tokens(source, pattern):
    """The text in tokens; whatever the pattern does not know is a sign of one character."""
    found, line = [], 1
    for match in re.finditer(pattern + r"|(?P<sign1>.)", source, re.S):
        kind = (match.lastgroup or "sign").rstrip("1")
        found.append(Token(kind, match.group(), line))
        line += match.group().count("\n")
    return found


class Numbers:
    """Mutants are numbered through all files."""

    def __init__(self):
        self.next = 1

    def take(self, count):
        first = self.next
        self.next += count
        return first


@dataclass
class Text:
    """A source with its sites; outer sites are added before those in them."""

    file: str
    tokens: list
    numbers: Numbers
    sites: list = field(default_factory=list)
    function: str = ""

    def site(self, what, edits, count=1):
        """Adds a site; `edits` is a function of its first number."""
        first = self.numbers.take(count)
        made = edits(first)
        lines = {self.tokens[place].line for place, _, _ in made}
        names = what if isinstance(what, list) else [what]
        mutants = [
            Mutant(first + i, self.file, self.tokens[made[0][0]].line, name, self.function)
            for i, name in enumerate(names)
        ]
        assert len(mutants) == count
        self.sites.append(Site(lines, mutants, made))

    def drop(self, lines):
        """Forgets the sites on these lines; says how many mutants that were."""
        gone = [site for site in self.sites if site.lines & lines]
        self.sites = [site for site in self.sites if not site.lines & lines]
        return sum(len(site.mutants) for site in gone)

    def written(self):
        before, instead, behind = {}, {}, {}
        for site in self.sites:
            for place, how, text in site.edits:
                if how == "before":
                    before.setdefault(place, []).append(text)
                elif how == "behind":
                    behind.setdefault(place, []).insert(0, text)
                else:
                    instead[place] = text
        return "".join(
            "".join(before.get(i, [])) + instead.get(i, token.text) + "".join(behind.get(i, []))
            for i, token in enumerate(self.tokens)
        )


class Source:
    """A source by its tokens that are no space: what the finders of both languages build on."""

    def __init__(self, file, source, pattern, numbers):
        self.text = Text(file, tokens(source, pattern), numbers)
        self.at = [i for i, token in enumerate(self.text.tokens) if token.kind != "space"]
        self.match = {}  # the closing bracket of an opening one
        open_ = []
        for i in range(len(self.at)):
            if self.kind(i) == "sign" and self.token(i) in "([{":
                open_.append(i)
            elif self.kind(i) == "sign" and self.token(i) in ")]}" and open_:
                self.match[open_.pop()] = i

    def token(self, i):
        return self.text.tokens[self.at[i]].text if 0 <= i < len(self.at) else ""

    def kind(self, i):
        return self.text.tokens[self.at[i]].kind if 0 <= i < len(self.at) else ""

    def line(self, i):
        return self.text.tokens[self.at[i]].line

    def words(self, i, end):
        """The first tokens of a range, as the name of a mutant shows them."""
        return " ".join(self.token(k) for k in range(i, end))
