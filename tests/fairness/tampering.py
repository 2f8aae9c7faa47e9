"""One thing changed in a public record: each change must be refused by whoever checks it (F12)."""

import base64
import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Change = Callable[[Json, Json, random.Random], None]
"""Changes a record, or the rules beside it."""


def change_bytes(text: str, pick: random.Random) -> str:
    """One byte of a base64 value changed."""
    content = bytearray(base64.b64decode(text))
    content[pick.randrange(len(content))] ^= 1 << pick.randrange(8)
    return base64.b64encode(bytes(content)).decode()


def change_card(record: Json, _: Json, pick: random.Random) -> None:
    opening = pick.choice(record["openings"])
    opening["card"] = pick.choice([each["card"] for each in record["openings"] if each["card"] != opening["card"]])


def change_seat(record: Json, _: Json, pick: random.Random) -> None:
    opening = pick.choice(record["openings"])
    opening["seat"] = opening["seat"] % 8 + 1


def change_salt(record: Json, _: Json, pick: random.Random) -> None:
    opening = pick.choice(record["openings"])
    opening["salt"] = change_bytes(opening["salt"], pick)


def change_path(record: Json, _: Json, pick: random.Random) -> None:
    path = pick.choice(record["openings"])["path"]
    at = pick.randrange(len(path))
    path[at] = change_bytes(path[at], pick)


def change_hand_id(record: Json, _: Json, __: random.Random) -> None:
    record["hand_id"] += "0"


def change_hand_number(record: Json, _: Json, __: random.Random) -> None:
    record["hand_number"] = str(int(record["hand_number"]) + 1)


def change_table(record: Json, _: Json, __: random.Random) -> None:
    record["table_id"] = "another"


def change_rules(_: Json, rules: Json, __: random.Random) -> None:
    rules["raise_cap"] += 1


def change_root(record: Json, _: Json, pick: random.Random) -> None:
    record["commitment"]["deck_root"] = change_bytes(record["commitment"]["deck_root"], pick)


def change_seed_commitment(record: Json, _: Json, pick: random.Random) -> None:
    record["commitment"]["seed_commitment"] = change_bytes(record["commitment"]["seed_commitment"], pick)


def change_position(record: Json, _: Json, pick: random.Random) -> None:
    step = pick.choice([step for step in record["steps"] if step["positions"]])
    at = pick.randrange(len(step["positions"]))
    step["positions"][at] = (step["positions"][at] + 1) % 52


def hide_an_up_card(record: Json, _: Json, pick: random.Random) -> None:
    record["openings"].remove(pick.choice([each for each in record["openings"] if each["face_up"]]))


CHANGES: list[Change] = [
    change_card,
    change_seat,
    change_salt,
    change_path,
    change_hand_id,
    change_hand_number,
    change_table,
    change_rules,
    change_root,
    change_seed_commitment,
    change_position,
    hide_an_up_card,
]
