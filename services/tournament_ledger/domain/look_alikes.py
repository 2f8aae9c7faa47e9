"""Player ids that a reader would take for one another: Anna and anna, bill and biII, corn and com, bob and b0b.

Ids have 66 characters, all of them ASCII. Of the confusable characters of Unicode (UTS 39, section 4) exactly four are
among them: m and rn, 0 and O, 1 and l, I and l; a library would bring the other six thousand that no id can have. As
capitals are read aloud like small letters, and whoever is misled does not mind which of the two misled him, both are
one relation here: i, I, l, L and 1 are all the same, and so are o, O and 0.
"""

ALIKE = (("m", "rn"), ("0", "o"), ("1", "l"), ("i", "l"))
"""What each is taken for, once all letters are small; replaced in this order."""


def likeness(player_id: str) -> str:
    """What an id is taken for; equal for ids that could be taken for one another."""
    alike = player_id.lower()
    for character, taken_for in ALIKE:
        alike = alike.replace(character, taken_for)
    return alike
