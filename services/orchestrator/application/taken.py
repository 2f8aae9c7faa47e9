"""What a step that was taken comes to."""

from dataclasses import dataclass

from services.orchestrator.application.actor import Change
from services.orchestrator.domain.next_step import Await


@dataclass(frozen=True, slots=True)
class Taken:
    """The change to be recorded, and whether the table rests afterwards although more is to be done."""

    change: Change
    rest: Await | None = None
