"""Sealing at rest: what was sealed for one hand opens for that hand alone, unchanged, under a key of the ring."""

import errno
import os
from pathlib import Path

import pytest

from services.dealer.adapters.key_file import load_key_file
from services.dealer.adapters.vault import SealBroken, Vault, key_id_of
from services.dealer.domain.sealing_keys import parse_keys
from shared.storage.database import StoreRefused

OLD, NEW = "old:" + "11" * 32, "new:" + "22" * 32
PLAIN = b"a seed and a script"


def vault(*keys: str) -> Vault:
    """A vault with these keys, the first one current."""
    return Vault(parse_keys(",".join(keys)))


def test_what_was_sealed_opens_again() -> None:
    assert vault(OLD).open("hand", vault(OLD).seal("hand", PLAIN)) == PLAIN


def test_a_seal_shows_nothing_of_what_it_holds() -> None:
    sealed = vault(OLD).seal("hand", PLAIN)
    assert PLAIN not in sealed
    assert sealed != vault(OLD).seal("hand", PLAIN)


def test_every_changed_byte_breaks_the_seal() -> None:
    for number in range(20):
        sealed = vault(OLD).seal(f"hand-{number}", PLAIN)
        for at in range(len(sealed)):
            changed = sealed[:at] + bytes((sealed[at] ^ 0x01,)) + sealed[at + 1 :]
            with pytest.raises(SealBroken):
                vault(OLD).open(f"hand-{number}", changed)


@pytest.mark.parametrize("length", range(0, 50, 7))
def test_a_seal_cut_short_does_not_open(length: int) -> None:
    with pytest.raises(SealBroken):
        vault(OLD).open("hand", vault(OLD).seal("hand", PLAIN)[:length])


def test_the_seal_of_another_hand_does_not_open() -> None:
    with pytest.raises(SealBroken):
        vault(OLD).open("hand-2", vault(OLD).seal("hand-1", PLAIN))


def test_after_a_rotation_old_hands_open_and_new_ones_take_the_new_key() -> None:
    sealed = vault(OLD).seal("hand", PLAIN)
    rotated = vault(NEW, OLD)
    assert rotated.open("hand", sealed) == PLAIN
    assert key_id_of(rotated.seal("hand", PLAIN)) == "new"
    with pytest.raises(SealBroken, match="'old', which is not in the ring"):
        vault(NEW).open("hand", sealed)


def test_the_same_key_id_with_another_key_is_noticed() -> None:
    with pytest.raises(SealBroken, match="does not open"):
        vault("old:" + "33" * 32).open("hand", vault(OLD).seal("hand", PLAIN))


def test_nonces_do_not_come_twice() -> None:
    one = vault(OLD)
    assert len({one.seal("hand", b"")[5:17] for _ in range(10_000)}) == 10_000


@pytest.mark.parametrize("text", ["", "nokey", "a:12", OLD + "," + OLD, "a b:" + "11" * 32])
def test_a_key_ring_that_cannot_be_read_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ValueError, match="write id:hex") as refusal:
        parse_keys(text)
    assert "11" not in str(refusal.value)


def test_a_key_ring_does_not_show_its_keys() -> None:
    assert "1111" not in repr(parse_keys(OLD))


def test_the_first_start_makes_a_key_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    made = load_key_file(tmp_path / "dealer.keys")
    assert (tmp_path / "dealer.keys").stat().st_mode & 0o777 == 0o600
    assert load_key_file(tmp_path / "dealer.keys") == made
    assert load_key_file(tmp_path / "other.keys") != made


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dealer.keys"
    load_key_file(path)
    path.chmod(0o640)
    with pytest.raises(StoreRefused, match="chmod 600"):
        load_key_file(path)


def test_a_damaged_key_file_is_refused_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "dealer.keys"
    path.write_text("current:11111")
    path.chmod(0o600)
    with pytest.raises(StoreRefused, match="write id:hex") as refusal:
        load_key_file(path)
    assert "11111" not in str(refusal.value)


def test_a_key_file_that_cannot_be_made_is_a_clear_refusal(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="cannot be made"):
        load_key_file(tmp_path / "nowhere" / "dealer.keys")


@pytest.mark.parametrize("step", ["write", "fsync", "link"])
def test_a_key_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """On a full disk, or killed just then, the first start left an empty one, and no other start was any good."""
    path = tmp_path / "dealer.keys"

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, no_room)
        if step == "link":  # as where there are no hard links
            load_key_file(path)
        else:
            with pytest.raises(StoreRefused, match="No space left"):
                load_key_file(path)
            assert not path.exists()
    made = load_key_file(path)
    assert load_key_file(path) == made
    assert [each.name for each in tmp_path.iterdir()] == ["dealer.keys"]


def test_of_two_dealers_that_make_one_key_file_both_have_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = tmp_path / "dealer.keys", os.link
    others: list[object] = []

    def second_meanwhile(draft: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        target.write_text("first:" + "11" * 32)
        target.chmod(0o600)
        others.append(load_key_file(target))
        link(draft, target)

    monkeypatch.setattr(os, "link", second_meanwhile)
    assert [load_key_file(path)] == others
