"""What there is about a played hand: asked of dealer and table over the public contracts, or read from a file.

The file is JSON: the answers of GetProof, GetHand and GetOpenings under the names "proof", "hand" and "own", each in
the JSON form of the contract with its own field names; a file that is one of these answers alone is taken too.
"""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as tables
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.console.adapters.calls import Line
from services.console.adapters.hand_published import own_openings, table_record
from services.console.domain.fair_record import DealerRecord, Evidence, Mismatch, OwnOpenings
from services.console.domain.printable import printable
from shared.kernel.caller import Role
from shared.rpc.mirror import from_proto

MessageT = TypeVar("MessageT", bound=Message)
FILE_BYTES_MAX = 4 * 1024 * 1024
_NO_MESSAGE: Final = (ParseError, AttributeError, LookupError, OverflowError, SystemError, TypeError, ValueError)
"""What protobuf raises over JSON that is no message of the kind: beside its own error it falls over some contents."""


class FileRefused(Exception):  # noqa: N818  # the file cannot be taken
    """Why a file is no record of a hand."""


@dataclass(frozen=True, slots=True)
class HandRecords:
    """The answers about one hand; None where one is not at hand."""

    proof: dealer.GetProofResponse | None = None
    hand: tables.GetHandResponse | None = None
    own: dealer.GetOpeningsResponse | None = None
    player_id: str = ""
    """As whom the table was asked; empty: as a spectator, or nobody says."""
    seat_key: bytes = b""
    """The public key that the player registered; empty: nobody says."""

    def evidence(self) -> Evidence:
        """The same as the domain knows it; FileRefused where it is in the form of the contract and makes no sense."""
        try:
            return self._evidence()
        except (ValueError, LookupError, OverflowError) as fault:
            raise FileRefused(f"this is no record of a hand: {printable(str(fault))}") from None

    def _evidence(self) -> Evidence:
        table = None if self.hand is None else table_record(self.hand)
        own = None if self.own is None else from_proto(self.own, OwnOpenings, "own")
        if own is None and self.hand is not None and table is not None:
            own = own_openings(self.hand, table)
        record = None if self.proof is None else from_proto(self.proof, DealerRecord, "proof")
        seat = self._seat()
        stranger = self.player_id if self.hand is not None and not seat else ""
        return Evidence(
            record=record, table=table, own=own, seat=seat, seat_key=self.seat_key, stranger=printable(stranger)
        )

    def _seat(self) -> int:
        """Of the player who asked; 0: not dealt in."""
        if self.hand is None or not self.player_id:
            return 0
        dealt_in = (each for event in self.hand.events for each in event.hand_started.seats)
        return next((each.seat for each in dealt_in if each.player_id == self.player_id), 0)

    def of_hand(self, hand_id: str) -> "HandRecords":
        """The same; Mismatch where dealer or table answered with another hand than they were asked for."""
        for each in (self.proof, self.hand):
            if each is not None and each.hand_id != hand_id:
                raise Mismatch(f"asked for this hand, the house answered with hand {printable(each.hand_id)}")
        return self

    def with_own(self, path: Path) -> "HandRecords":
        """The same with the own cards of a file: an answer of GetOpenings, or what GetHand gave to a player."""
        given = read_records(path)
        if given.own is not None:
            return replace(self, own=given.own)
        if given.hand is not None and given.hand.own_openings:
            return replace(self, hand=given.hand, own=None)
        raise FileRefused(
            f"{path} holds nobody's own cards: neither an answer of GetOpenings nor own_openings of GetHand"
        )

    def write(self, path: Path) -> None:
        """Keep the answers in a file; it may hold cards that nobody else has seen, so that only its owner reads it.

        FileRefused where it cannot be written.
        """
        parts = {"proof": self.proof, "hand": self.hand, "own": self.own}
        content = {name: _as_json(message) for name, message in parts.items() if message is not None}
        try:
            _write_for_its_owner(path, json.dumps(content, indent=1) + "\n")
        except OSError as fault:
            raise FileRefused(f"{path} cannot be written: {fault.strerror}") from None


def _write_for_its_owner(path: Path, text: str) -> None:
    """A file that was there keeps its rights when it is opened: they are taken from all others first."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            os.fchmod(handle, 0o600)
        file.write(text)


def read_records(path: Path) -> HandRecords:
    """The answers in a file; FileRefused says why it is none. No more is read than may be: some names have no end."""
    try:
        with path.open("rb") as file:
            text = file.read(FILE_BYTES_MAX + 1)
        if len(text) > FILE_BYTES_MAX:
            raise FileRefused(f"{path} is larger than {FILE_BYTES_MAX} bytes")
        content = json.loads(text.decode())
    except (OSError, ValueError, RecursionError) as fault:
        raise FileRefused(f"{path} cannot be read: {fault}") from None
    if not isinstance(content, dict):
        raise FileRefused(f"{path} holds no record of a hand")
    parts = _named(cast("dict[str, Any]", content))
    return HandRecords(
        proof=_parsed(parts.get("proof"), dealer.GetProofResponse, path),
        hand=_parsed(parts.get("hand"), tables.GetHandResponse, path),
        own=_parsed(parts.get("own"), dealer.GetOpeningsResponse, path),
    )


def _named(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parts of a file; an answer alone is known by its fields."""
    if "events" in content:
        return {"hand": content}
    if "commitment" in content:
        return {"proof" if "steps" in content else "own": content}
    return content


def _parsed(content: Any, kind: type[MessageT], path: Path) -> MessageT | None:
    if content is None:
        return None
    try:
        return ParseDict(content, kind())
    except _NO_MESSAGE as fault:
        raise FileRefused(f"{path} holds no {kind.__name__}: {printable(str(fault))}") from None


def _as_json(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return found


async def ask_dealer(line: Line, hand_id: str) -> dealer.GetProofResponse:
    """The public record of a hand."""
    return await line.ask(DealerServiceStub(line.channel).GetProof, dealer.GetProofRequest(hand_id=hand_id))


async def ask_own(line: Line, hand_id: str, seat: int) -> dealer.GetOpeningsResponse:
    """A seat's own openings."""
    request = dealer.GetOpeningsRequest(hand_id=hand_id, seat=seat)
    return await line.ask(DealerServiceStub(line.channel).GetOpenings, request)


async def ask_table(line: Line, hand_id: str) -> tables.GetHandResponse:
    """The hand as the table published it; a player gets the proofs of the own cards with it."""
    request = tables.GetHandRequest(hand_id=hand_id, own_openings=line.caller.role is Role.PLAYER)
    return await line.ask(TableServiceStub(line.channel).GetHand, request)
