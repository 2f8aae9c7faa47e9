"""How much of the books one player or organiser may fill, so that nobody fills them for all others."""

from dataclasses import dataclass

from services.tournament_ledger.domain.look_alikes import likeness
from services.tournament_ledger.ports import Books
from shared.kernel.errors import DomainError, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """The limits, as the settings say."""

    wallets_per_player_max: int = 20
    """Currencies that one player may have a wallet in."""
    holds_per_wallet_max: int = 10_000
    """Holds of one wallet that are open at a time."""
    tournaments_open_max: int = 10_000
    """Tournaments announced and not over."""
    look_alikes_refused: bool = True
    """Whether a player id that can be taken for another one's opens no wallet."""


def reached(limit: str, most: int, how: str) -> DomainError:
    """One too many; nothing was booked."""
    return DomainError(Reason.LIMIT_REACHED, f"{most} are all there may be: {how}", {"limit": limit})


def name_locks(player_id: str) -> tuple[str, ...]:
    """What to hold while a new player is let in: nobody alike, and no other wallet of the same player."""
    return (f"alike/{likeness(player_id)}", f"wallets/{player_id}")


async def check_new_wallet(quotas: Quotas, books: Books, player_id: str) -> None:
    """ALREADY_EXISTS for a new player who could be taken for another, LIMIT_REACHED for one with too many wallets."""
    count = len(await books.wallet_currencies(player_id))
    if count >= quotas.wallets_per_player_max:
        raise reached("wallets_per_player_max", quotas.wallets_per_player_max, "use a wallet that the player has")
    if count or not quotas.look_alikes_refused:
        return
    other = await books.look_alike(player_id)
    if other is not None:
        message = f"the player id looks like {other}, who is here already: choose one that nobody takes for another"
        raise DomainError(Reason.ALREADY_EXISTS, message, {"kind": "player", "id": other})


async def check_new_hold(quotas: Quotas, books: Books, player_id: str, currency: str) -> None:
    """LIMIT_REACHED where too many holds of a wallet are open."""
    if await books.open_holds(player_id, currency) >= quotas.holds_per_wallet_max:
        raise reached("holds_per_wallet_max", quotas.holds_per_wallet_max, "post or void one first")


async def check_new_tournament(quotas: Quotas, books: Books) -> None:
    """LIMIT_REACHED where too many tournaments are not over."""
    if await books.open_tournaments() >= quotas.tournaments_open_max:
        raise reached("tournaments_open_max", quotas.tournaments_open_max, "cancel one first, or let one end")
