"""The key ring as a file beside the database, made at the first start and readable by its owner alone."""

import os
import secrets
import stat
from pathlib import Path

from services.dealer.domain.sealing_keys import KEY_SIZE, SealingKeys, parse_keys
from shared.storage.database import StoreRefused

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def load_key_file(path: Path) -> SealingKeys:
    """The keys of a file, made with one new key where there is none; StoreRefused says what is wrong with it."""
    if not path.exists():
        _create(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & OTHERS:
        raise StoreRefused(f"the key file {path} may be read by others (mode {mode:o}): chmod 600 {path}")
    try:
        return parse_keys(path.read_text(encoding="ascii"))
    except ValueError as fault:
        raise StoreRefused(f"the key file {path} cannot be read: {fault}") from None


def _create(path: Path) -> None:
    """One key with an id of its own, on the disk before any hand is sealed under it; whole, or not there at all."""
    text = f"{secrets.token_hex(4)}:{secrets.token_hex(KEY_SIZE)}\n"
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.unfinished")
    try:
        try:
            _write(draft, text)
            _give_name(draft, path)
            _sync_folder(path.parent)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as fault:
        message = f"the key file {path} cannot be made ({fault.strerror}): make its folder writable, with room left"
        raise StoreRefused(message) from None


def _write(draft: Path, text: str) -> None:
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, text.encode("ascii"))
        os.fsync(handle)
    finally:
        os.close(handle)


def _give_name(draft: Path, path: Path) -> None:
    """Unless another dealer was first: its keys are those of both."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
