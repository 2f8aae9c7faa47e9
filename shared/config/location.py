"""What a DATABASE setting names: a file, or an address that no store of ours can open yet."""

import re
from pathlib import Path

SQLITE_SCHEME = "sqlite:///"
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):/")
_ALLOWED = f"give a path, or {SQLITE_SCHEME}path (an absolute path then has four slashes)"
_POSTGRESQL = {"postgresql", "postgres"}


def sqlite_path(location: str) -> Path:
    """The SQLite file that a location names: a plain path or sqlite:///path.

    ValueError says what is wrong and never repeats more than the scheme: the rest may hold a password.
    """
    plain = location.removeprefix(SQLITE_SCHEME)
    match = _SCHEME.match(plain)
    if match is not None:
        scheme = match[1].lower()
        if scheme.partition("+")[0] in _POSTGRESQL:
            raise ValueError(f"names a PostgreSQL database, which is not supported yet: {_ALLOWED}")
        if scheme == "sqlite":
            raise ValueError(f"is no {SQLITE_SCHEME} location: {_ALLOWED}")
        raise ValueError(f"has the scheme {scheme}, which is not supported: {_ALLOWED}")
    if "://" in plain or "\0" in plain:
        raise ValueError(f"names no file: {_ALLOWED}")
    path = Path(plain)
    if not path.name or path.name == "..":
        raise ValueError(f"names no file: {_ALLOWED}")
    return path
