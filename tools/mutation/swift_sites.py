"""The mutants of a Swift file: conditions, comparisons, logic, constants, returns, statements.

A binary operator becomes an operator of its own for each mutant, with the same precedence: no operand need be known.
"""

from sites import SWAPS, Source

PATTERN = (
    r'(?P<space>\s+|//[^\n]*|/\*.*?\*/)'
    r'|(?P<text>"""(?:.*?)"""|#"(?:.*?)"#|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\])*")'
    r'|(?P<number>\b(?:0x[0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:e[0-9]+)?)\b)'
    r'|(?P<word>[#@]?[A-Za-z_`$][\w`]*)'
    r'|(?P<sign>[-+*/%=<>!&|^~?.]+)'
)
LOGIC = {"&&": "||", "||": "&&"}


def operator(number):
    return chr(0x2A00 + number // 128) + chr(0x2A80 + number % 128)


class SwiftFile(Source):
    def __init__(self, file, source, numbers):
        super().__init__(file, source, PATTERN, numbers)
        self.operators = []  # (number, sign)
        self.walk()

    def spaced(self, i):
        """Whether space stands on both sides: only so an operator is a binary one here."""
        place = self.at[i]
        around = self.text.tokens[place - 1], self.text.tokens[place + 1]
        return all(token.kind == "space" for token in around)

    def walk(self):
        in_case = returns_bool = False
        for i in range(len(self.at)):
            word, kind = self.token(i), self.kind(i)
            if word in ("func", "init", "subscript") and self.token(i - 1) not in (".", "self."):
                self.text.function = self.token(i + 1) if word == "func" else word
                returns_bool = self.gives_bool(i)
            if word == "case":
                in_case = True
            elif in_case and word in (":", "=", "{"):
                in_case = False
            if word in ("guard", "if", "while") and kind == "word":
                self.clauses(i)
            elif word == "return" and self.token(i + 1) in ("true", "false"):
                self.truth(i + 1)
            elif word == "return" and returns_bool:
                self.returned(i + 1)
            elif kind == "sign" and self.token(i - 1) == "func":
                continue
            elif kind == "sign" and word in SWAPS and self.spaced(i) and "nil" not in (self.token(i + 1), self.token(i - 1)):
                self.swapped(i, SWAPS[word])
            elif kind == "sign" and word in LOGIC and self.spaced(i):
                self.swapped(i, [LOGIC[word]])
            elif kind == "number" and not in_case and self.token(i + 1) != "of" and not self.token(i - 1).endswith("."):
                self.text.site(
                    [f"{word} + 1", f"{word} - 1"],
                    lambda n, i=i, word=word: [(self.at[i], "instead", f"mutated({n}, {word})")],
                    2,
                )
            self.deleted(i)

    def swapped(self, i, others):
        def edits(n):
            self.operators.append((n, self.token(i)))
            return [(self.at[i], "instead", operator(n))]

        self.text.site([f"{other} for {self.token(i)}" for other in others], edits, len(others))

    def truth(self, i):
        word = self.token(i)
        self.text.site(
            f"returns {'false' if word == 'true' else 'true'} for {word}",
            lambda n: [(self.at[i], "instead", f"mutated({n}, truth: {word})")],
        )

    def gives_bool(self, i):
        while i < len(self.at) and self.token(i) not in ("{", "}"):
            if self.token(i) == "->":
                return self.token(i + 1) == "Bool" and self.token(i + 2) == "{"
            i = self.match.get(i, i) + 1
        return False

    def returned(self, i):
        """All that follows in the block: a return is its last statement."""
        k = i
        while k < len(self.at) and self.token(k) != "}":
            k = self.match.get(k, k) + 1
        self.text.site(
            "returns the opposite",
            lambda n: [
                (self.at[i], "before", f"mutated({n}, truth: "),
                (self.at[k - 1], "behind", ")"),
            ],
        )

    def clauses(self, i):
        guard = self.token(i) == "guard"
        start = k = i + 1
        while k < len(self.at):
            word = self.token(k)
            ends = word == "else" if guard else word == "{"
            if ends or word == ",":
                self.clause(start, k)
                start = k + 1
            if ends or word in (";", "}"):
                return
            k = self.match.get(k, k) + 1

    def clause(self, i, end):
        if i >= end or self.token(i) in ("let", "var", "case", "#available", "true"):
            return
        signs = [self.token(k) for k in range(i, end) if self.kind(k) == "sign"]
        # The opposite of a single comparison is among the swaps.
        if "nil" not in (self.token(k) for k in range(i, end)) and not {"&&", "||"} & set(signs):
            if sum(sign in ("==", "!=") for sign in signs) == 1:
                return
        self.text.site(
            f"not: {self.words(i, min(end, i + 8))}",
            lambda n: [
                (self.at[i], "before", f"mutated({n}, truth: "),
                (self.at[end - 1], "behind", ")"),
            ],
        )

    def deleted(self, i):
        """A call that is a statement on a line of its own."""
        first = i
        if i > 0 and self.line(i - 1) == self.line(i):
            return
        if self.token(i - 1) not in ("{", "}", ")") and self.kind(i - 1) not in ("word", "number"):
            return
        if self.token(i) == "try":
            first = i + 1
        if self.kind(first) != "word" or self.token(first) in (
            "return", "throw", "guard", "if", "let", "var", "for", "while", "switch", "case", "default", "func",
            "init", "else", "public", "package", "private", "static", "extension", "struct", "enum", "import",
            "super", "self", "some", "any",
        ) or self.token(first)[0] in "#@":
            return
        k = first
        while self.kind(k) == "word" and self.token(k + 1) in (".", "?."):
            k += 2
        if self.kind(k) != "word" or self.token(k + 1) != "(" or k + 1 not in self.match:
            return
        end = self.match[k + 1]
        if self.line(end) != self.line(i) or (end + 1 < len(self.at) and self.line(end + 1) == self.line(end)):
            return
        if self.token(end + 1) not in ("}", "") and self.kind(end + 1) != "word":
            return
        if self.token(i - 1) in ("{", "in", ")") and self.token(end + 1) == "}":
            return  # the value of its block, perhaps
        self.text.site(
            f"without: {self.words(i, min(end, i + 6))}",
            lambda n: [
                (self.at[i], "before", f"if lives({n}) {{ "),
                (self.at[end], "behind", " }"),
            ],
        )


def support(operators):
    """The Swift source that a module needs besides its mutated files."""
    lines = [
        "// Written by tools/mutation.",
        "import Glibc",
        "let mutant: Int = unsafe getenv(\"JOSE_MUTANT\").map { unsafe Int(atoi($0)) } ?? 0",
        "func lives(_ number: Int) -> Bool { mutant != number }",
        "func mutated(_ number: Int, truth: Bool) -> Bool { mutant == number ? !truth : truth }",
        "func mutated<T: FixedWidthInteger>(_ number: Int, _ value: T) -> T {",
        "    mutant == number ? value &+ 1 : mutant == number + 1 ? value &- 1 : value",
        "}",
    ]
    for number, sign in operators:
        name = operator(number)
        if sign in LOGIC:
            group = "LogicalDisjunctionPrecedence" if sign == "||" else "LogicalConjunctionPrecedence"
            chosen = "? l : try r()" if sign == "||" else "? try r() : l"
            lines.append(f"infix operator {name}: {group}")
            lines.append(
                f"func {name} (l: Bool, r: @autoclosure () throws -> Bool) rethrows -> Bool "
                f"{{ (l != (mutant == {number})) {chosen} }}"
            )
            continue
        rule = "Equatable" if sign in ("==", "!=") else "Comparable"
        chosen = f"l {sign} r"
        for index, other in enumerate(SWAPS[sign]):
            chosen = f"mutant == {number + index} ? l {other} r : {chosen}"
        lines.append(f"infix operator {name}: ComparisonPrecedence")
        lines.append(f"func {name} <T: {rule}>(l: T, r: T) -> Bool {{ {chosen} }}")
    return "\n".join(lines) + "\n"
