"""Texts of others on a terminal: nothing in them may steer it."""

_STANDS_FOR_HIDDEN = "\ufffd"


def printable(text: str) -> str:
    """The text with a mark for each control, direction or invisible character."""
    return "".join(character if character.isprintable() else _STANDS_FOR_HIDDEN for character in text)
