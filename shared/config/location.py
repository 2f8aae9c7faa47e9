"""What a DATABASE setting names: a SQLite file, or a PostgreSQL database whose address may hold a password."""

import re
from pathlib import Path
from urllib.parse import urlsplit

SQLITE_SCHEME = "sqlite:///"
POSTGRES_FORM = "postgresql://user:password@host:5432/database"
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):/")
_FILE_ALLOWED = f"give a path, or {SQLITE_SCHEME}path (an absolute path then has four slashes)"
_ALLOWED = f"{_FILE_ALLOWED}, or {POSTGRES_FORM}"
_POSTGRESQL = {"postgresql", "postgres"}


class PostgresUrl:
    """The address of a PostgreSQL database; only ``reveal`` says all of it."""

    __slots__ = ("_place", "_url")

    def __init__(self, url: str) -> None:
        """Check the form; ValueError says what is wrong and repeats nothing of it."""
        self._place = _place_of(url)
        self._url = url

    def reveal(self) -> str:
        """The address with its password, for the driver alone."""
        return self._url

    def __repr__(self) -> str:
        return f"PostgreSQL {self._place}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PostgresUrl) and other._url == self._url

    def __hash__(self) -> int:
        return hash(self._url)


Location = Path | PostgresUrl


def location_of(text: str) -> Location:
    """What a setting names; ValueError says what is wrong and never repeats more than the scheme."""
    match = _SCHEME.match(text)
    if match is not None and match[1].lower() in _POSTGRESQL:
        return PostgresUrl(text.strip())
    return _file(text, _ALLOWED)


def sqlite_path(location: str) -> Path:
    """The SQLite file that a location names: a plain path or sqlite:///path.

    ValueError says what is wrong and never repeats more than the scheme: the rest may hold a password.
    """
    return _file(location, _FILE_ALLOWED)


def _file(location: str, allowed: str) -> Path:
    plain = location.removeprefix(SQLITE_SCHEME)
    match = _SCHEME.match(plain)
    if match is not None:
        scheme = match[1].lower()
        if scheme == "sqlite":
            raise ValueError(f"is no {SQLITE_SCHEME} location: {allowed}")
        if scheme in _POSTGRESQL:
            raise ValueError(f"names a PostgreSQL database where a file is wanted: {allowed}")
        raise ValueError(f"has the scheme {scheme}, which is not supported: {allowed}")
    if "://" in plain or "\0" in plain:
        raise ValueError(f"names no file: {allowed}")
    path = Path(plain)
    if not path.name or path.name == "..":
        raise ValueError(f"names no file: {allowed}")
    return path


def _place_of(url: str) -> str:
    """Host and database of an address, to be shown."""
    problem = f"is no address of a PostgreSQL database: write {POSTGRES_FORM}, special characters as %40"
    try:
        parts = urlsplit(url)
        hosts = [part.rpartition("@")[2] for part in parts.netloc.rpartition("@")[2].split(",")]
        ports = [host.rpartition(":")[2] for host in hosts if ":" in host and not host.endswith("]")]
    except ValueError:
        raise ValueError(problem) from None
    name = parts.path.removeprefix("/")
    if not name or "/" in name or "\0" in url or any(not port.isdecimal() or int(port) > 65535 for port in ports):  # noqa: PLR2004  # the last port
        raise ValueError(problem)
    return f"{','.join(hosts) or 'local socket'}/{name}"
