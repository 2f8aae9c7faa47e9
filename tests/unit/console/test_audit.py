"""The ledger's check as people read it."""

from dataclasses import replace

from services.console.commands.audit import proof_lines
from services.console.domain.results import BookHead, JournalCheck, JournalFault, UnitSum, percentile

SOUND = JournalCheck(
    sound=True,
    entries_count=25,
    faults=(),
    sums=(UnitSum("EUR", 0, 10), UnitSum("chips:t1", 0, 4)),
    heads=(BookHead("wallets", 16, b"\x17" * 32),),
    units_count=2,
    books_count=1,
)


def test_sound_books_show_their_sums_and_heads() -> None:
    assert proof_lines(SOUND) == [
        "ledger: sound, 25 entries checked from the first, hash by hash",
        "  sum of EUR: 0 over 10 accounts",
        "  sum of chips:t1: 0 over 4 accounts",
        f"  head of wallets: entry 16, {'17' * 32}",
    ]
    assert SOUND.zero_sum


def test_units_that_an_answer_had_no_room_for_are_counted() -> None:
    assert "  and 3 units more, each with a sum of 0" in proof_lines(replace(SOUND, units_count=5))


def test_a_fault_is_named_with_its_book_and_entry() -> None:
    broken = replace(SOUND, sound=False, faults=(JournalFault("wallets", 7, "the hash is not that of its fields"),))
    lines = proof_lines(broken)
    assert lines[0].startswith("ledger: NOT SOUND")
    assert "  FAULT in wallets, entry 7: the hash is not that of its fields" in lines
    assert not broken.zero_sum


def test_books_with_a_unit_that_does_not_sum_to_zero_prove_nothing() -> None:
    assert not replace(SOUND, sums=(UnitSum("EUR", 1, 10),)).zero_sum


def test_empty_books_prove_nothing() -> None:
    assert not replace(SOUND, entries_count=0).zero_sum


def test_a_percentile_is_a_value_that_occurred() -> None:
    assert percentile((3.0, 1.0, 2.0), 0.5) == 2.0
    assert percentile((3.0, 1.0, 2.0), 0.99) == 3.0
    assert percentile((), 0.5) == 0.0
