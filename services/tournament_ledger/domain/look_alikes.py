"""Player ids that a reader would take for one another: Anna and anna, bill and biII, corn and com.

Ids have 66 characters, all of them ASCII. Of the confusable characters of Unicode (UTS 39, section 4) exactly four are
among them, which is the whole table; a library would bring the other six thousand that no id can have.
"""

CONFUSABLES = (("m", "rn"), ("0", "O"), ("1", "l"), ("I", "l"))
"""What each looks like, in the order in which they are replaced."""


def skeleton(player_id: str) -> str:
    """The id as it looks; equal for ids that look alike."""
    for character, looks_like in CONFUSABLES:
        player_id = player_id.replace(character, looks_like)
    return player_id


def spoken(player_id: str) -> str:
    """The id as it is read aloud, capitals or not."""
    return player_id.lower()
