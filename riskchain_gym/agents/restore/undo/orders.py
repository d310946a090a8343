"""Undoes orders and layouts of an address: columns, lines, turned round, mixed with letters, cut into numbered parts.

Every function takes a text and returns it with whatever it found undone, or the very text where it found nothing.
"""

from __future__ import annotations

import re

from riskchain_gym.agents.restore.undo.shapes import letters_of

_FILLERS = "□"
_LINES = re.compile(r"(?:(?<=\n)|(?<![^\s\u3400-\u9fff，。：])|(?<=\s))[^\n]\n(?:\n*[^\n]\n){4,}\n*[^\n\s]")
_ADDRESS = re.compile(r"[a-z0-9./:%?=&_-]{9,}")
_TURNED = re.compile(r"(?<![a-z0-9.-])tset[a-z0-9.-]+")
_BY_TWO = re.compile("隔一个|每两个|第一三五七|every second|odd places")
_BY_THREE = re.compile("隔两个|每三个|三个三个|skip two|every three")
_CUE_WITHIN = 30
_LABELS_TURNED = re.compile(r"(?<![a-z0-9.-])test\.([a-z0-9-]+)\.([a-z0-9-]+)(?![a-z0-9-])")
_GAPS = re.compile(r"(?<=[a-z0-9.:_-])[ _\u3000-]{1,3}(?=[a-z0-9.:_-])")
_SIGNS = re.compile(r"(?<=[a-z0-9.])[^a-z0-9.\s\u3400-\u9fff]{1,2}(?=[a-z0-9.])")
_DOUBLE = re.compile(r"([a-z0-9])\1")
_ORDINALS = ("一二三四五六七八九", "甲乙丙丁戊己庚辛壬", "①②③④⑤⑥⑦⑧⑨")
_KEPT = frozenset("".join(_ORDINALS) + "，,、第段")
_NUMBER = "(?:第([一二三四五六七八九])段|([甲乙丙丁戊己庚辛壬])|([①②③④⑤⑥⑦⑧⑨]))"
_PIECE = "([a-z0-9.-]+)"
_FIRST = re.compile(f"{_NUMBER}{_PIECE}(?:[，,、] ?{_NUMBER}{_PIECE})+")
_AFTER = re.compile(f"{_PIECE}{_NUMBER}(?:[，,、] ?{_PIECE}{_NUMBER})+")


def unlined(text: str) -> str:
    """Join what is written one character a line; two blank lines in it are a line break, one is a dot."""

    def joined(found: re.Match[str]) -> str:
        rows = re.sub("\n{3,}", "\v", found[0])
        return rows.replace("\n\n", ".").replace("\n", "").replace("\v", "\n")

    return _LINES.sub(joined, text)


def backwards(text: str) -> str:
    """Turn round what ends in ``test`` when read from right to left."""
    plain = letters_of(text)
    return _replaced(text, [(m.start(), m.end(), m[0][::-1]) for m in _TURNED.finditer(plain)])


def labels_turned(text: str) -> str:
    """Put the labels of an address that begins with ``test.`` in order."""
    plain = letters_of(text)
    found = [(m.start(), m.end(), f" {m[2]}.{m[1]}.test ") for m in _LABELS_TURNED.finditer(plain)]
    return _replaced(text, found)


def thinned(text: str) -> str:
    """Take every second or third character of an address of which the text says so, or that then ends in ``test``."""
    plain = letters_of(text)
    found: list[tuple[int, int, str]] = []
    for run in _ADDRESS.finditer(plain):
        said = text[run.end() : run.end() + _CUE_WITHIN]
        two, three = _BY_TWO.search(said), _BY_THREE.search(said)
        if two or three:
            found.append((run.start(), run.end(), run[0][:: 3 if three and not two else 2]))
            continue
        for step in (2, 3, 4):
            if re.search(r"[.-]test\Z", run[0][::step]):
                found.append((run.start(), run.end(), run[0][::step]))
                break
    return _replaced(text, found)


def closed(text: str) -> str:
    """Close the gaps between single characters: spaces, hyphens, underscores."""
    return _GAPS.sub("", letters_of(text))


def unsigned(text: str) -> str:
    """Drop signs between letters of an address."""
    return _SIGNS.sub("", letters_of(text))


def single(text: str) -> str:
    """Write doubled letters and digits once."""
    return _DOUBLE.sub(r"\1", letters_of(text))


def uncolumned(text: str) -> str:
    """Read blocks of lines as columns from right to left, where an address comes out."""
    lines = text.split("\n")
    out: list[str] = []
    at = 0
    while at < len(lines):
        size, read = _block(lines, at)
        out.append(read)
        at += size
    return "\n".join(out)


def _block(lines: list[str], at: int) -> tuple[int, str]:
    for count in range(6, 1, -1):
        rows = lines[at : at + count]
        width = max(map(len, rows))
        if len(rows) < count or not 2 <= width <= 16 or min(map(len, rows)) < 1:
            continue
        grid = [row.ljust(width, _FILLERS) for row in rows]
        read = "".join(row[column] for column in range(width - 1, -1, -1) for row in grid)
        plain = letters_of(read.replace(_FILLERS, ""))
        if all(char.isascii() or char in _FILLERS for char in letters_of(read)) and len(plain) >= width * (count - 1):
            return count, plain
    return 1, lines[at]


def ordered(text: str) -> str:
    """Put numbered parts of an address in order."""
    plain = "".join(written if written in _KEPT else read for written, read in zip(text, letters_of(text), strict=True))
    found: list[tuple[int, int, str]] = []
    for whole, after in ((_FIRST, False), (_AFTER, True)):
        each = re.compile(f"{_PIECE}{_NUMBER}" if after else f"{_NUMBER}{_PIECE}")
        for match in whole.finditer(plain):
            parts: dict[int, str] = {}
            for part in each.finditer(match[0]):
                groups = part.groups()
                piece, number = (groups[0], groups[1:]) if after else (groups[-1], groups[:-1])
                parts[next(_ORDINALS[kind].index(n) for kind, n in enumerate(number) if n)] = piece
            found.append((match.start(), match.end(), f" {_joined([parts[n] for n in sorted(parts)])} "))
    return _replaced(text, found)


def _joined(parts: list[str]) -> str:
    """Join parts; where none holds a dot, dots were between them."""
    return ("" if any("." in part for part in parts) else ".").join(parts)


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    out: list[str] = []
    done = 0
    for start, end, new in sorted(found):
        if start >= done:
            out += (text[done:start], new)
            done = end
    return "".join([*out, text[done:]])
