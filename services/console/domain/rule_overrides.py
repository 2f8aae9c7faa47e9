"""Reads ``option=value`` pairs into the rule fields of the contract, by the fields' own names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


class OverrideError(Exception):
    """An option or value that the rules do not know."""


class OptionField(Protocol):
    """What must be known of a rule option to read its value."""

    @property
    def path(self) -> str:
        """Path from the rule set, as in ``hand.raise_cap``."""
        ...

    @property
    def values(self) -> tuple[str, ...]:
        """Names of its values in lower case; ``true`` and ``false``; none for a number."""
        ...


@dataclass(frozen=True, slots=True)
class Override:
    """One option set to one value, as text."""

    path: str
    value: str


def parse_overrides(pairs: Iterable[str], fields: Iterable[OptionField]) -> tuple[Override, ...]:
    """Every pair as an override; a bare option name is found in whichever rule message has it."""
    known = {field.path: field for field in fields}
    return tuple(_override(pair, known) for pair in pairs)


def _override(pair: str, known: dict[str, OptionField]) -> Override:
    name, separator, value = pair.partition("=")
    if not separator:
        raise OverrideError(f"--set {pair}: write option=value, as in raise_cap=4")
    found = [path for path in known if path == name or path.split(".")[-1] == name]
    if len(found) != 1:
        problem = "no rule option has this name" if not found else f"say which: {', '.join(found)}"
        raise OverrideError(f"--set {pair}: {problem}")
    allowed = known[found[0]].values
    if allowed and value.lower() not in allowed:
        raise OverrideError(f"--set {pair}: {found[0]} takes {', '.join(allowed)}")
    if not allowed and not value.isdecimal():
        raise OverrideError(f"--set {pair}: {found[0]} takes a whole number")
    return Override(found[0], value.lower())
