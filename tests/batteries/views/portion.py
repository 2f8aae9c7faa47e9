"""Some hands checked in a process of their own, and counted."""

import traceback
from collections import Counter
from collections.abc import Sequence

from tests.batteries.views.pairs import check_hand


def check_portion(numbers: Sequence[int]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Check some hands; a failing one is kept by its number, and the others go on."""
    counts: Counter[str] = Counter()
    failed: list[tuple[int, str]] = []
    for number in numbers:
        try:
            pairs = check_hand(number)
        except Exception:  # noqa: BLE001  # whatever breaks in a hand is what is looked for
            failed.append((number, traceback.format_exc(limit=-3)))
            continue
        counts["hands"] += 1
        for pair in pairs:
            kind = "to the end, cards changed that nobody is ever shown" if pair.whole else "until a hand is shown"
            counts[f"pairs {kind}"] += 1
            counts[f"events compared {kind}"] += pair.items
            counts[f"cards that were others {kind}"] += pair.changed
        counts["watched by a player" if pairs[0].viewer_seat else "watched by a spectator"] += 1
    return counts, failed
