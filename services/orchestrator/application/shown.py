"""An event as it is told: what all see who see no down cards is made once for all of them."""

from dataclasses import dataclass, field

from services.orchestrator.domain.event_views import TableEvent
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.visibility import BLIND, Sight, view_event


@dataclass(slots=True)
class ShownEvent:
    """An event of the log, and how those see it who see no down cards."""

    recorded: Recorded
    _public: TableEvent | None = field(default=None, init=False)

    def shown(self, sight: Sight) -> TableEvent:
        """The event as somebody with this sight may see it."""
        if sight.down_cards:
            return view_event(self.recorded, sight)
        if self._public is None:
            self._public = view_event(self.recorded, BLIND)
        return self._public
