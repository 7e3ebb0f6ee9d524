"""The mutants of a C file: conditions, comparisons, logic, constants, returns, statements."""

from sites import SWAPS, Source

PATTERN = (
    r'(?P<space>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|^)[ \t]*#(?:\\\n|[^\n])*)'
    r'|(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r'|(?P<number>\b(?:0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*\b)'
    r'|(?P<word>[A-Za-z_]\w*)'
    r'|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=)'
)
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
FLIPS = {
    "true": "false", "false": "true", "JOSE_OK": "JOSE_REJECTED", "JOSE_REJECTED": "JOSE_OK",
    "JOSE_BAD_KEY": "JOSE_OK", "JOSE_INTERNAL": "JOSE_OK",
}
PRELUDE = "extern int jose_mutant; "


class CFile(Source):
    def __init__(self, file, source, numbers):
        super().__init__(file, source, PATTERN, numbers)
        self.functions()

    def functions(self):
        i = 0
        while i < len(self.at):
            if self.token(i) == "{" and i > 0:
                end = self.match.get(i, len(self.at) - 1)
                if self.token(i - 1) == ")":
                    start = next(k for k, v in self.match.items() if v == i - 1)
                    self.text.function = self.token(start - 1)
                    head = start - 2
                    while head >= 0 and self.token(head) not in ";}" and self.kind(head) != "text":
                        head -= 1
                    self.returns_bool = any(self.token(k) == "bool" for k in range(head + 1, start - 1))
                    self.block(i + 1, end)
                i = end
            i += 1

    # ---- statements

    def block(self, i, end):
        while i < end:
            i = self.statement(i, end)

    def until(self, sign, i, end):
        while i < end and self.token(i) != sign:
            i = self.match.get(i, i) + 1
        return i

    def statement(self, i, end):
        word = self.token(i)
        if word == "{":
            self.block(i + 1, self.match[i])
            return self.match[i] + 1
        if word in ("if", "while", "switch") and self.token(i + 1) == "(":
            close = self.match[i + 1]
            if word != "switch":
                self.condition(i + 2, close)
            return close + 1
        if word == "for":
            close = self.match[i + 1]
            first = self.until(";", i + 2, close)
            second = self.until(";", first + 1, close)
            if second > first + 1:
                self.condition(first + 1, second)
            self.literals(i + 2, first)
            self.literals(second + 1, close)
            return close + 1
        if word in ("else", "do"):
            return i + 1
        if word == "case":
            return self.until(":", i, end) + 1
        if word == "default" or (self.kind(i) == "word" and i + 1 < end and self.token(i + 1) == ":"):
            return i + 2
        stop = self.until(";", i, end)
        if word in ("goto", "break", "continue", "static", "enum", "_Static_assert", "typedef", "struct", "extern") or stop == i:
            return stop + 1
        if word == "return":
            if stop > i + 1:
                self.returned(i + 1, stop)
        else:
            self.expression_statement(i, stop)
        return stop + 1

    def returned(self, i, end):
        if end == i + 1 and self.token(i) in FLIPS:
            word, other = self.token(i), FLIPS[self.token(i)]
            self.text.site(
                f"returns {other} for {word}",
                lambda n: [(self.at[i], "instead", f"(jose_mutant == {n} ? {other} : {word})")],
            )
        elif self.returns_bool:
            self.condition(i, end)
        else:
            self.expression(i, end)
            self.literals(i, end)

    def expression_statement(self, i, end):
        k, adjacent, assign = i, False, None
        # A type that a macro writes, as STACK_OF(X509).
        if self.token(i + 1) == "(" and self.match[i + 1] + 1 < end:
            after = self.match[i + 1] + 1
            adjacent = self.kind(after) == "word" or self.token(after) == "*"
        while k < end:
            if self.kind(k) == "word" and k + 1 < end and (
                self.kind(k + 1) == "word" or (self.token(k + 1) == "*" and k + 2 < end and self.kind(k + 2) == "word")
            ):
                adjacent = True
            if self.token(k) in ASSIGNS and self.kind(k) == "sign":
                assign = k
                break
            k = self.match.get(k, k) + 1
        declares = adjacent and self.token(i) != "(" and (assign is not None or self.until("(", i, end) == end)
        if declares:
            if assign is not None:
                if self.token(assign + 1) == "{":
                    return
                self.expression(assign + 1, end)
                self.literals(assign + 1, end)
            return
        self.text.site(
            f"without: {self.words(i, min(end, i + 6))}",
            lambda n: [
                (self.at[i], "before", f"{{ if (jose_mutant != {n}) "),
                (self.at[end], "behind", " }"),
            ],
        )
        self.expression(i if assign is None else assign + 1, end)
        self.literals(i, end)

    # ---- expressions

    def literals(self, i, end):
        for k in range(i, end):
            if self.kind(k) != "number" or (k > 1 and self.token(k - 2) == "sizeof"):
                continue
            word = self.token(k)
            self.text.site(
                [f"{word} + 1", f"{word} - 1"],
                lambda n, k=k, word=word: [
                    (self.at[k], "instead", f"({word} + (jose_mutant == {n}) - (jose_mutant == {n + 1}))")
                ],
                2,
            )

    def condition(self, i, end):
        self.literals(i, end)
        self.expression(i, end, True)

    def split(self, signs, i, end):
        """The last of these signs at the outermost level, as a binary operator."""
        found, k = None, i
        while k < end:
            if self.kind(k) == "sign" and self.token(k) in signs and k > i and (
                self.kind(k - 1) != "sign" or self.token(k - 1) in ")]"
            ):
                found = k
            k = self.match.get(k, k) + 1
        return found

    def expression(self, i, end, is_truth=False):
        if i >= end:
            return
        for signs in ({","}, ASSIGNS):
            k = self.split(signs, i, end)
            if k is not None:
                self.expression(i, k)
                self.expression(k + 1, end)
                return
        k = self.until("?", i, end)
        if k < end:
            self.expression(i, k, True)
            colon = self.until(":", k, end)
            self.expression(k + 1, colon)
            self.expression(colon + 1, end)
            return
        for sign in ("||", "&&"):
            k = self.split({sign}, i, end)
            if k is None:
                continue
            first, last = self.at[i], self.at[end - 1]
            middle = "({0} != {1}) ? {1} : !!(" if sign == "||" else "({0} != {1}) ? !!("
            close = "); })" if sign == "||" else ") : {1}; }})"
            self.text.site(
                f"{'&&' if sign == '||' else '||'} for {sign}",
                lambda n: [
                    (first, "before", f"({{ int l{n}_ = !!("),
                    (self.at[k], "instead", "); " + middle.format(f"(jose_mutant == {n})", f"l{n}_")),
                    (last, "behind", close.format("", f"l{n}_") if sign == "&&" else close),
                ],
            )
            self.expression(i, k, True)
            self.expression(k + 1, end, True)
            return
        for sign in ("|", "^", "&"):
            k = self.split({sign}, i, end)
            if k is not None:
                if is_truth:
                    self.negated(i, end)
                self.expression(i, k)
                self.expression(k + 1, end)
                return
        for signs in ({"==", "!="}, {"<", "<=", ">", ">="}):
            k = self.split(signs, i, end)
            if k is None:
                continue
            sign, others = self.token(k), SWAPS[self.token(k)]

            def edits(n):
                chosen = f"l{n}_ {sign} r{n}_"
                for number, other in enumerate(others):
                    chosen = f"jose_mutant == {n + number} ? l{n}_ {other} r{n}_ : {chosen}"
                return [
                    (self.at[i], "before", f"({{ __auto_type l{n}_ = ("),
                    (self.at[k], "instead", f"); __auto_type r{n}_ = ("),
                    (self.at[end - 1], "behind", f"); {chosen}; }})"),
                ]

            self.text.site([f"{other} for {sign}" for other in others], edits, len(others))
            self.expression(i, k)
            self.expression(k + 1, end)
            return
        whole = self.token(i) == "(" and self.match.get(i) == end - 1
        if is_truth and not whole:
            self.negated(i, end)
        k = i
        while k < end:
            if self.token(k) in "([" and self.kind(k) == "sign" and not (k > 0 and self.token(k - 1) == "sizeof"):
                self.expression(k + 1, self.match[k], is_truth and whole)
            k = self.match.get(k, k) + 1

    def negated(self, i, end):
        self.text.site(
            f"not: {self.words(i, min(end, i + 6))}",
            lambda n: [
                (self.at[i], "before", f"((jose_mutant == {n}) != !!("),
                (self.at[end - 1], "behind", "))"),
            ],
        )


def written(c_file):
    return PRELUDE + c_file.text.written()
