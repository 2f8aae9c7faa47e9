"""S15: names with everything that Unicode has to mislead with: refused, or kept in the one form that shows it."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from random import Random

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.tournament_ledger.domain.look_alikes import ALIKE, likeness
from shared.kernel.errors import DomainError
from shared.rpc.validation import Validator
from tests.batteries.report import Row, judged

LENGTH_MAX = 100
_TRICKS = (
    *range(32),
    *range(0x7F, 0xA0),
    0xAD,
    0x34F,
    0x61C,
    0x115F,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0x2800,
    0x3164,
    *range(0xFE00, 0xFE0F),
    0xFEFF,
    0xFFA0,
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
    *range(0xE0100, 0xE0110),
    0xE000,
    0x10FFFF,
    0x378,
)
"""Control, direction, zero-width, invisible, private, unassigned: one of them anywhere, and the name is refused."""
_FINE = "abcXYZ019 .-_\u00e9\u00f1\u00df\u5c71\u5ddd\u05d0\u0627\u0431\u2665\U0001f0a1\uff21\ufb01\u212b\u00bd\ufdfa"


def tricked(rng: Random) -> str:
    """A name with a trick in it."""
    text = [rng.choice(_FINE) for _ in range(rng.randint(0, 12))]
    text.insert(rng.randint(0, len(text)), chr(rng.choice(_TRICKS)))
    return "".join(text)


def honest(rng: Random) -> str:
    """A name in any script, of any length; some become longer in their one form."""
    return "".join(rng.choice(_FINE) for _ in range(rng.choice((1, 5, 12, 40, 99, 100, 101, 140))))


def disguised(rng: Random, player_id: str) -> str:
    """An id that looks like another one."""
    swaps = [(one, other) for one, other in ALIKE if one in player_id or other in player_id]
    if not swaps or rng.random() < 0.3:
        return player_id.swapcase()
    one, other = rng.choice(swaps)
    return player_id.replace(one, other) if one in player_id else player_id.replace(other, one)


def judge_text(validator: Validator, name: str, *, trick: bool) -> str:
    """What became of a name; the name of a fault begins with 'fault'."""
    request = pb.OpenTableRequest(name=name)
    try:
        validator.check(request, request.DESCRIPTOR)
    except DomainError as refusal:
        told = [each.description for each in refusal.violations if each.field == "name"]
    else:
        told = []
    form = unicodedata.normalize("NFKC", name)
    if told:
        lawful = not trick and form.strip() and len(form) <= LENGTH_MAX
        return f"fault: {name!r} refused, {told[0]}" if lawful else "refused"
    if trick or len(form) > LENGTH_MAX or request.name != form:
        return f"fault: {name!r} kept as {request.name!r}"
    return "kept"


def judge_id(validator: Validator, name: str) -> str:
    """Ids are ASCII: everything else is refused."""
    request = ledger_pb.OpenAccountRequest(player_id=name)
    try:
        validator.check(request, request.DESCRIPTOR)
    except DomainError as refusal:
        if any(each.field == "player_id" for each in refusal.violations):
            return "id refused"
    return "id kept" if name.isascii() and name.isprintable() and " " not in name else f"fault: {name!r} is an id"


def names_are_what_they_seem(names: int) -> Iterator[Row]:
    """Row S15."""
    rng, validator, found = Random("S15"), Validator(), Counter[str]()
    for _ in range(names):
        trick = rng.random() < 0.5
        name = tricked(rng) if trick else honest(rng)
        found[judge_text(validator, name, trick=trick)] += 1
        found[judge_id(validator, name)] += 1
        player_id = "".join(rng.choice("abilmnorIOL01s5-.") for _ in range(rng.randint(3, 12)))
        other = disguised(rng, disguised(rng, player_id))
        alike = likeness(player_id) == likeness(other)
        found["look-alikes known" if alike else f"fault: {player_id} and {other} are told apart"] += 1
    faults = [name for name in found if name.startswith("fault")]
    for fault in faults[:10]:
        print(f"  {fault}")
    yield judged(
        "S15",
        "10^5 names: control, bidi, zero-width, invisible, over-long after NFKC and look-alikes refused, others kept",
        f"{names:,} names and as many disguised ids: {found['refused']:,} refused, {found['kept']:,} kept in NFKC, "
        f"{found['id refused']:,} refused as ids, {found['look-alikes known']:,} disguises seen through, "
        f"{len(faults)} faults; unpaired surrogates cannot be sent: they are no UTF-8",
        holds=not faults and found["kept"] > 0 and found["refused"] > 0,
    )
