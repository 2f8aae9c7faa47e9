"""Settings from environment variables: typed, all faults at once, secrets never shown.

A service reads ``SEVENSTUD_<SERVICE>_<NAME>``. Only its ``__main__`` passes os.environ; tests pass a dict. A variable
with the prefix that nobody reads is a fault too: it is a misspelt one.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from shared.config.location import Location, location_of

_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off"}
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})")
_IPV4 = re.compile(r"\d{1,3}(\.\d{1,3}){3}:\d{1,5}")
_PORT_MAX = 65535
_DEFAULT_ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}")


class SettingsFault(Exception):  # noqa: N818  # one or many faults of the settings
    """Every variable that is missing or wrong, with what is allowed."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        """Keep one sentence for each variable."""
        super().__init__("settings: " + "; ".join(faults))
        self.faults = faults


class Secret:
    """A value that never shows itself: not in logs, not in errors, not in a debugger's list."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hide the value."""
        self._value = value

    def reveal(self) -> str:
        """The value, for the one place that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value  # the same class

    def __hash__(self) -> int:
        return hash(self._value)


class Env:
    """Reads the variables of one service and collects what is wrong with them; call check() after the last one.

    A reader that finds a fault returns the default or a harmless value, so that the next ones are read as well.
    """

    def __init__(self, service: str, environ: Mapping[str, str]) -> None:
        """Read the variables SEVENSTUD_<SERVICE>_..."""
        self._prefix = f"SEVENSTUD_{service.upper()}_"
        self._environ = environ
        self._asked: set[str] = set()
        self._faults: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        """A text; required without a default. An empty variable counts as not set."""
        raw = self._raw(name)
        if raw is not None:
            return raw
        if default is None:
            self._fault(name, "is required")
            return ""
        return default

    def choice(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        """One of a few words."""
        value = self.text(name, default)
        if value not in allowed:
            self._fault(name, f"is {value!r}: one of {', '.join(allowed)}")
            return default
        return value

    def integer(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number within bounds."""
        raw = self._raw(name)
        if raw is None:
            return default
        if not re.fullmatch(r"-?\d{1,18}", raw) or not least <= int(raw) <= most:
            self._fault(name, f"is {raw!r}: a whole number from {least} to {most}")
            return default
        return int(raw)

    def seconds(self, name: str, default: float, least: float, most: float) -> float:
        """A duration in seconds; decimals allowed."""
        raw = self._raw(name)
        if raw is None:
            return default
        if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", raw) or not least <= float(raw) <= most:
            self._fault(name, f"is {raw!r}: seconds from {least:g} to {most:g}")
            return default
        return float(raw)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Yes or no."""
        raw = self._raw(name)
        if raw is None:
            return default
        if raw.lower() not in _TRUE | _FALSE:
            self._fault(name, f"is {raw!r}: true or false")
            return default
        return raw.lower() in _TRUE

    def address(self, name: str, default: str) -> str:
        """A host and a port, as in 127.0.0.1:7101; port 0 lets the system choose."""
        value = self.text(name, default)
        match = _ADDRESS.fullmatch(value)
        if match is None or int(match[2]) > _PORT_MAX:
            self._fault(name, f"is {value!r}: host:port, as in 127.0.0.1:7101")
            return default
        return value

    def target(self, name: str, default: str) -> str:
        """Where another service is: host:port, or several with commas between, each an IPv4 address and a port."""
        value = self.text(name, default)
        several = value.split(",")
        matches = [_ADDRESS.fullmatch(each) for each in several]
        sound = all(match is not None and 0 < int(match[2]) <= _PORT_MAX for match in matches)
        if not sound or (len(several) > 1 and not all(_IPV4.fullmatch(each) for each in several)):
            self._fault(name, f"is {value!r}: host:port, or several IPv4 addresses with ports, commas between")
            return default
        return value

    def identifier(self, name: str, default: str) -> str:
        """An opaque id: 1 to 64 of A-Z a-z 0-9 and . _ : @ -."""
        value = self.text(name, default)
        if not _DEFAULT_ID.fullmatch(value):
            self._fault(name, "is no id: 1 to 64 of A-Z a-z 0-9 . _ : @ -")
            return default
        return value

    def path(self, name: str, default: str | None = None) -> Path:
        """The path of a file or folder; required without a default."""
        return Path(self.text(name, default))

    def database(self, name: str, default: str) -> Location:
        """Where a store is kept: a SQLite file or a PostgreSQL database; a fault never repeats the text."""
        try:
            return location_of(self.text(name, default))
        except ValueError as problem:
            self._fault(name, str(problem))
            return Path(default)

    def optional_path(self, name: str) -> Path | None:
        """The path of a file or folder, or None."""
        raw = self._raw(name)
        return None if raw is None else Path(raw)

    def secret(self, name: str, default: str | None = None) -> Secret:
        """A text that is never shown; required without a default."""
        return Secret(self.text(name, default))

    def fault(self, name: str, problem: str) -> None:
        """Add a fault that only the service can see, as in two settings that exclude each other."""
        self._fault(name, problem)

    def check(self) -> None:
        """Raise SettingsFault with every fault found, also for variables that nobody read."""
        unread = sorted(name for name in self._environ if name.startswith(self._prefix) and name not in self._asked)
        faults = [*self._faults, *self._unknown(unread)]
        if faults:
            raise SettingsFault(tuple(faults))

    def _unknown(self, unread: list[str]) -> list[str]:
        """A fault for each variable; the last one lists what there is, once."""
        if not unread:
            return []
        known = ", ".join(sorted(self._asked))
        *others, last = (f"{name} is not a setting" for name in unread)
        return [*others, f"{last}; known: {known}"]

    def _raw(self, name: str) -> str | None:
        self._asked.add(self._prefix + name)
        value = self._environ.get(self._prefix + name, "").strip()
        return value or None

    def _fault(self, name: str, problem: str) -> None:
        self._faults.append(f"{self._prefix}{name} {problem}")
