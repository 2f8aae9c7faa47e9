"""S14: edge values in every number of every request of every service, found by walking the descriptors."""

import asyncio
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from shared.kernel.caller import Caller
from tests.batteries.attack.corpus import listen
from tests.batteries.attack.fuzzer import Fuzzer, Outcome
from tests.batteries.attack.generator import EDGES, Generator, Known
from tests.batteries.attack.house import SERVICES, UNLIMITED, House, house
from tests.batteries.attack.s08_fuzz import furnish, target_of
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.contract import message_class, methods

DEPTH_MAX = 9
NumberPath = tuple[str, ...]


def numbers_of(descriptor: Descriptor, above: NumberPath = ()) -> Iterator[tuple[NumberPath, FieldDescriptor]]:
    """Every number of a message, by the fields that lead to it."""
    for each in descriptor.fields:
        path = (*above, each.name)
        if each.type in EDGES:
            yield path, each
        elif each.message_type is not None and len(path) < DEPTH_MAX:
            yield from numbers_of(each.message_type, path)


def with_number(good: Message, path: NumberPath, value: int) -> Message:
    """The request with one number changed; of a list the last item, or a first one."""
    changed: Any = type(good)()
    changed.CopyFrom(good)
    inner = changed
    for name in path[:-1]:
        inner = getattr(inner, name)
        if not isinstance(inner, Message):
            inner = inner[-1] if len(inner) else inner.add()
    if inner.DESCRIPTOR.fields_by_name[path[-1]].is_repeated:
        getattr(inner, path[-1]).append(value)
    else:
        setattr(inner, path[-1], value)
    if "request_id" in changed.DESCRIPTOR.fields_by_name:
        changed.request_id = str(uuid.uuid4())
    return changed  # type: ignore[no-any-return]  # a message of a class found by name


def good_request(known: Known, generator: Generator, method: MethodDescriptor) -> Message:
    """One that was overheard, or a lawful one."""
    overheard = known.requests.get(method.input_type.full_name)
    made = message_class(method.input_type.full_name)()
    if overheard:
        made.ParseFromString(overheard[-1])
        return made
    return generator.lawful(method)


async def attack(share: float) -> tuple[Outcome, int, list[str]]:
    """All edges of all numbers; what came back, how many numbers, and which services died of it."""
    known, outcome, count = Known(), Outcome(), 0
    await listen(known)
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), **dict.fromkeys(SERVICES, UNLIMITED | {"LOG_LEVEL": "error"})) as running:
            await furnish(running, known)
            generator = Generator(known, "S14")
            fuzzer = Fuzzer(generator, outcome, "S14")
            places = [(method, *each) for method in methods() for each in numbers_of(method.input_type)]
            chosen = places[:: max(1, round(1 / share))]
            progress = Progress("S14", len(chosen))
            for method, path, number in chosen:
                good = good_request(known, generator, method)
                await asyncio.gather(
                    *(_try(running, fuzzer, method, with_number(good, path, edge)) for edge in EDGES[number.type])
                )
                count += 1
                progress.add(1, f"faults: {len(outcome.faults)}")
            progress.finish()
            dead = [name for name in SERVICES if name not in running.alive()]
    return outcome, count, dead


async def _try(running: House, fuzzer: Fuzzer, method: MethodDescriptor, request: Message) -> None:
    process, roles = target_of(method)
    player_id = getattr(request, "player_id", "") or "ann"
    caller = Caller(roles[0], player_id if roles[0] == "player" else "fuzzer")
    await fuzzer.send(await running.raw_channel(process), method, caller, request.SerializeToString())


def edge_integers(share: float) -> Iterator[Row]:
    """Row S14."""
    outcome, count, dead = asyncio.run(attack(share))
    for fault in outcome.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "S14",
        "edge values in every number of every request: an answer or a typed refusal, never INTERNAL or UNKNOWN",
        f"{count:,} numbers of {len(list(methods()))} RPCs, {outcome.sent:,} calls: {outcome.answered:,} answered, "
        f"refused {dict(outcome.refused.most_common(6))}, untyped {dict(outcome.untyped)}, "
        f"{len(outcome.faults)} faults, {len(dead)} services dead",
        holds=not outcome.faults and not dead and outcome.refused.total() > 0,
    )
