"""What there is to see of a table: its view, the last events as lines, and how much was played."""

from dataclasses import dataclass, replace

from services.console.domain import events
from services.console.domain.follow import after
from services.console.domain.narration import is_headline, told
from services.console.domain.outline import outline
from services.console.domain.table import TableView

LINES_KEPT = 12


@dataclass(frozen=True, slots=True)
class Show:
    """A watched table so far."""

    table: TableView | None = None
    lines: tuple[str, ...] = ()
    """The last events, oldest first."""
    news: tuple[str, ...] = ()
    """The lines of the last item taken: none or one for an event, an outline for the table as it is."""
    headline: bool = False
    """The last item is worth a line even where only the outline is told."""
    hands_count: int = 0
    """Hands that came to their end, voided ones included."""
    voided_count: int = 0
    actions_count: int = 0


def seen(show: Show, item: TableView | events.TableEvent) -> Show:
    """What there is to see after one more item of the watched stream."""
    if isinstance(item, TableView):
        return replace(show, table=item, news=outline(item), headline=False)
    if show.table is None:
        return show
    line = told(item, show.table)
    news = (line,) if line else ()
    return replace(
        show,
        table=after(show.table, item),
        lines=(*show.lines, *news)[-LINES_KEPT:],
        news=news,
        headline=is_headline(item.fact),
        hands_count=show.hands_count + isinstance(item.fact, events.HandEnded | events.HandVoided),
        voided_count=show.voided_count + isinstance(item.fact, events.HandVoided),
        actions_count=show.actions_count + isinstance(item.fact, events.ActionTaken),
    )
