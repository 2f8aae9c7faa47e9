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
    """One key with an id of its own, on the disk before any hand is sealed under it."""
    text = f"{secrets.token_hex(4)}:{secrets.token_hex(KEY_SIZE)}\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as fault:
        raise StoreRefused(f"the key file {path} cannot be made ({fault.strerror}): make its folder writable") from None
    try:
        os.write(handle, text.encode("ascii"))
        os.fsync(handle)
    finally:
        os.close(handle)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
