"""What came of replaying a recorded hand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """Whether the services agree with a record, and if not, where they part."""

    name: str
    ok: bool
    final_stacks_chips: tuple[int, ...] | None = None
    """Stacks as the services paid them; None where the hand was not played to its end."""
    expected_stacks_chips: tuple[int, ...] | None = None
    """Stacks as recorded; None where the record does not tell."""
    diverged_at: int | None = None
    """Number of the action where they part, counted from 1; None where they agree or part in the result only."""
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """The line of ``sevenstud replay --json``."""
        return {
            "id": self.name,
            "ok": self.ok,
            "final_stacks": self.final_stacks_chips,
            "expected_stacks": self.expected_stacks_chips,
            "diverged_at": self.diverged_at,
            "reason": self.reason,
        }
