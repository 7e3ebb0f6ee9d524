"""The Markdown pages of the project: headings, links, code blocks, anchors."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^ *(```+|~~~+) *(\S*)")
LINK = re.compile(r"(?<![\\!])\[(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*\]\(<?([^()\s>]+)>?(?: +\"[^\"]*\")?\)")
IMAGE = re.compile(r"!\[[^\[\]]*\]\(([^()\s]+)\)")


def pages(folder=ROOT):
    """Every page of the repository, without built or fetched ones."""
    for path in sorted(folder.rglob("*.md")):
        if not any(part in (".build", ".git", "node_modules") for part in path.relative_to(folder).parts):
            yield path


def slug(heading):
    """The anchor that Git hosts give a heading: its text without its marks."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class Page:
    """One page, read once."""

    def __init__(self, path):
        self.path = path
        self.headings = []  # (line, text)
        self.blocks = []  # (line, language, [lines])
        lines = []  # code is replaced by x, so that positions stay
        fence = block = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = FENCE.match(line)
            if fence is None and found:
                fence, block = found[1], (number, found[2], [])
                self.blocks.append(block)
            elif fence is not None and found and found[1].startswith(fence) and not found[2]:
                fence = None
            elif fence is not None:
                block[2].append(line)
                line = "x" * len(line)
            elif heading := re.match(r"#{1,6} +(.*?) *#*$", line):
                self.headings.append((number, heading[1]))
            lines.append(line)
        self.unclosed = block[0] if fence is not None else None
        # Brackets in inline code are not links.
        self.prose = re.sub(
            r"(?<!`)(`+)(?!`)(?:.|\n(?!\n))*?(?<!`)\1(?!`)", lambda m: re.sub(r"[^\n]", "x", m[0]), "\n".join(lines))

    @property
    def anchors(self):
        """Headings as a Git host names them; the second of one name has -1 behind it."""
        seen, all_of_them = {}, []
        for _, text in self.headings:
            name = slug(text)
            count = seen.get(name, 0)
            seen[name] = count + 1
            all_of_them.append(f"{name}-{count}" if count else name)
        return all_of_them

    @property
    def places(self):
        """(start, end, target) of each link and image in the text."""
        found = [*LINK.finditer(self.prose), *IMAGE.finditer(self.prose)]
        return sorted((match.start(1), match.end(1), match[1]) for match in found)

    @property
    def links(self):
        """(line, target) of each link and image; a link may begin on one line and end on the next."""
        for start, _, target in self.places:
            yield self.prose.count("\n", 0, start) + 1, target
