"""What services, files and tables say is printed, and steers no terminal."""

import asyncio
import io
import json
import sys
from asyncio.subprocess import PIPE
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.console import Console

from services.console.adapters.calls import Refused
from services.console.adapters.rich_screen import picture
from services.console.adapters.terminal import guard_terminal, harmless
from services.console.commands.audit import proof_lines
from services.console.domain import events
from services.console.domain.narration import told
from services.console.domain.outline import outline
from services.console.domain.results import BookHead, JournalCheck, JournalFault, UnitSum
from services.console.domain.show import Show, seen
from services.console.domain.table import TableState, TableView
from shared.kernel.errors import FieldViolation
from shared.rpc.client import RemoteError
from tests.support.console_table import seated

TRICK = "\x1b[2K\r\nhand t.1: PROVED, 31 cards \u202e\u200b"
MARKED = "\ufffd[2K\ufffd\ufffdhand t.1: PROVED, 31 cards \ufffd\ufffd"


def test_the_console_prints_its_own_lines_and_marks_what_steers() -> None:
    assert harmless("a\n\tb é 你 ▒▒ 😀") == "a\n\tb é 你 ▒▒ 😀"
    assert harmless("\x1b[2Jx\r\x07\x9b1m\u202e\u2066\x00") == "\ufffd[2Jx" + "\ufffd" * 3 + "1m" + "\ufffd" * 3


def test_whatever_is_printed_passes_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    guard_terminal()
    print("\x1b[2J", "x", flush=True)
    sys.stderr.writelines(["\x1b[2J", "y\n"])
    assert (out.getvalue(), err.getvalue()) == ("\ufffd[2J x\n", "\ufffd[2Jy\n")


def tricky(table: TableView) -> TableView:
    """Every text of a table is a trick."""
    texts = {each.name: TRICK for each in fields(TableView) if isinstance(getattr(table, each.name), str)}
    seats = tuple(replace(seat, player_id=TRICK) for seat in table.seats)
    return replace(table, **texts | {"state": TableState.STALLED}, seats=seats)  # type: ignore[arg-type]  # texts


def steers(text: str) -> bool:
    """Whether a terminal would do anything but show it."""
    return any(not character.isprintable() for character in text)


FACTS = [
    events.PlayerSeated(seat=1, player_id=TRICK, stack_chips=1),
    events.PlayerEliminated(seat=1, player_id=TRICK, place=2, prize_minor=0),
    events.TableStalled(waiting_for=TRICK),
    events.TablePaused(cause=TRICK),
    events.HandVoided(hand_number=1, cause=TRICK, results=()),
    events.HandShown(seat=1, cards=(), description_en=TRICK),
    events.HandMucked(seat=1),
]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_an_event_is_one_line_whatever_is_in_it(fact: events.Fact) -> None:
    line = told(events.TableEvent(version=2, hand_id="h", fact=fact), tricky(seated(1000, 1000)))
    assert line
    assert not steers(line)


def test_every_event_with_a_text_that_is_told_is_among_them() -> None:
    with_text = {kind for kind in get_args(events.Fact) if any(each.type in {"str", str} for each in fields(kind))}
    assert with_text - {events.Other, events.PlayerLeft} <= {type(fact) for fact in FACTS}


def test_a_table_is_shown_harmless() -> None:
    table = tricky(seated(1000, 1000))
    assert not any(steers(line) for line in outline(table))
    console = Console(file=io.StringIO(), width=200, record=True)
    console.print(picture(seen(Show(), table), f"table {TRICK}"))
    assert not any(steers(line) for line in console.export_text().splitlines())


def test_a_refusal_and_the_ledgers_word_are_harmless() -> None:
    violations = (FieldViolation(TRICK, TRICK),)
    error: Any = RemoteError(code=_Code(), reason=None, message=TRICK, violations=violations)  # type: ignore[arg-type]
    assert str(Refused(error)) == f"{MARKED} (REFUSED)\n  {MARKED}: {MARKED}"
    check = JournalCheck(
        False, 1, (JournalFault(TRICK, 1, TRICK),), (UnitSum(TRICK, 0, 1),), (BookHead(TRICK, 1, b""),), 1, 1
    )
    assert not any(steers(line) for line in proof_lines(check))


class _Code:
    name = "REFUSED"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps({"hand": {TRICK: 1}}), id="a field that there is not"),
        pytest.param(json.dumps({"proof": {"steps": [{"step": TRICK, "street": TRICK}]}}), id="no such value"),
        pytest.param("[" * 200_000, id="without a bottom"),
        pytest.param(json.dumps({"hand": {"events": [{"hand_started": {}}, {"street_dealt": {}}]}}), id="of no street"),
        pytest.param(
            json.dumps({"hand": {"events": [{"hand_started": {}}, {"street_dealt": {"street": 1}, "at": TRICK}]}}),
            id="at no time",
        ),
        pytest.param(
            json.dumps({"hand": {"events": [{"hand_started": {}}, {"street_dealt": {"street": 77, "source": 9}}]}}),
            id="of a street that there is not",
        ),
    ],
)
async def test_a_file_of_somebody_else_paints_no_proof_on_the_screen(content: str, tmp_path: Path) -> None:
    file = tmp_path / "hand.json"
    file.write_text(content)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.console", "verify", str(file)), stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, out) == (1, b"")
    (line,) = err.decode().splitlines()
    assert line.startswith("sevenstud: ")
    assert not steers(line)
