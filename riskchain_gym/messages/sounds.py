"""Sound-alikes of words, derived from their readings and the common characters of each syllable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from riskchain_gym.messages.pools import by_hash

Readings = Mapping[str, tuple[str, ...]]
"""Word to its pinyin syllables with tones."""

_MOST = 16
_INITIAL = re.compile(r"zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]|")
_LIKE_INITIALS = {"n": "l", "l": "n", "zh": "z", "z": "zh", "ch": "c", "c": "ch", "sh": "s", "s": "sh"}
_LIKE_ENDS = {"ang": "an", "an": "ang", "eng": "en", "en": "eng", "ing": "in", "in": "ing"}
_LIKE_SYLLABLES = {"hu": "fu", "fu": "hu", "hui": "fei", "fei": "hui", "huang": "fang", "fang": "huang"}


def sound_alikes(words: Readings, sounds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return for every word that has some the words of the same toneless pinyin, at most 16.

    Args:
        words: Words with their readings.
        sounds: Toneless syllable to its characters.
    """
    return _derived(words, sounds)


def near_sound_alikes(words: Readings, sounds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return for every word that has some the words whose pinyin is nearly its own, at most 16.

    One or more of its characters give way to one of a syllable that :func:`near_syllables` names.

    Args:
        words: Words with their readings.
        sounds: Toneless syllable to its characters.
    """
    return _derived(words, {s: "".join(sounds.get(near, "") for near in near_syllables(s)) for s in sounds})


def near_syllables(syllable: str) -> tuple[str, ...]:
    """Return the toneless syllables that many speakers do not tell from this one.

    They differ in a pair of initials (``n``/``l``, ``zh``/``z``, ``ch``/``c``, ``sh``/``s``), in a nasal end
    (``ang``/``an``, ``eng``/``en``, ``ing``/``in``), in both, or as ``hu`` and ``fu`` do.
    """
    found = _INITIAL.match(syllable)
    initial = found.group() if found else ""
    final = syllable[len(initial) :]
    initials = [initial, *(_LIKE_INITIALS[i] for i in (initial,) if i in _LIKE_INITIALS)]
    finals = [final, *(final.removesuffix(end) + like for end, like in _LIKE_ENDS.items() if final.endswith(end))]
    near = [i + f for i in initials for f in finals]
    near += [_LIKE_SYLLABLES[s] for s in (syllable,) if s in _LIKE_SYLLABLES]
    return tuple(near[1:])


def _derived(words: Readings, sounds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    mixed = {s: sorted(characters, key=lambda c: by_hash("sound", c)) for s, characters in sounds.items()}
    derived: dict[str, tuple[str, ...]] = {}
    for word, reading in words.items():
        choices = [
            [c for c in mixed.get(syllable[:-1], ()) if c != own] for own, syllable in zip(word, reading, strict=True)
        ]
        swapped = _swapped(word, choices, by_hash("word", word)[0])
        if found := tuple(islice((other for other in swapped if other not in words), _MOST)):
            derived[word] = found
    return derived


def _swapped(word: str, choices: Sequence[Sequence[str]], first: int) -> Iterator[str]:
    """Yield the word with one character replaced, each in turn, and with all of them; none comes twice.

    Args:
        word: The word.
        choices: What may stand in the place of each character.
        first: Which of the choices to begin with, counted round and round.
    """
    most = max(map(len, choices))
    seen: set[str] = set()
    for turn in range(first, first + most):
        chosen = [some[turn % len(some)] if some else "" for some in choices]
        swapped = [word[:i] + c + word[i + 1 :] for i, c in enumerate(chosen) if c]
        if len(swapped) == len(word) > 1:
            swapped.append("".join(chosen))
        for other in swapped:
            if other not in seen:
                seen.add(other)
                yield other
