"""Text for people: what may stand in a name, a cause or a reference, so that it shows as what it is everywhere."""

import unicodedata

_SHOWN_WRONGLY = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format (bidirectional, zero-width), surrogate, private, unassigned, line and paragraph separators."""
_INVISIBLE = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x2800, 0x2800),  # Braille blank
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0E),  # variation selectors; 0xFE0F, the one of emoji, may stand
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xE0100, 0xE01EF),  # more variation selectors
)
_EMOJI_SELECTOR = "\ufe0f"
_MARKS = frozenset({"Mn", "Me"})
MARKS_MAX = 4
"""Marks on one letter: more than any writing needs (UTS 39, section 5.4) cover the lines above and below."""


def normalised(text: str) -> str:
    """The one form of a text (NFKC): letters that are the same to a reader are the same to the house.

    One character may become up to 18, so that lengths are counted afterwards.
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def characters_of(text: str) -> int:
    """How many characters a text has in its one form."""
    return len(normalised(text))


def print_problem(text: str) -> str | None:
    """What keeps a text from being printed as it is, or None; an empty text is another constraint's matter."""
    if not text:
        return None
    for place, character in enumerate(text, start=1):
        if not _is_printable(character):
            return (
                f"has a character that cannot be printed (U+{ord(character):04X}, the {place}. one): give letters, "
                "digits, marks and blanks, no control, direction or invisible characters"
            )
    place = _overloaded(text)
    if place:
        return (
            f"has more than {MARKS_MAX} marks on one letter (the {place}. character): give letters as they are written"
        )
    if not text.replace(_EMOJI_SELECTOR, "").strip():
        return "has only blanks: give something to read"
    return None


def _overloaded(text: str) -> int:
    """The place of the first mark that is one too many; 0 for none."""
    marks = 0
    for place, character in enumerate(text, start=1):
        marks = marks + 1 if not character.isascii() and unicodedata.category(character) in _MARKS else 0
        if marks > MARKS_MAX:
            return place
    return 0


def _is_printable(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    if unicodedata.category(character) in _SHOWN_WRONGLY:
        return False
    code = ord(character)
    return not any(first <= code <= last for first, last in _INVISIBLE)
