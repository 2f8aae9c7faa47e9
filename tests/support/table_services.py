"""What a table asks of dealer, betting and evaluator; in one process by calling their code."""

from collections.abc import Sequence
from typing import Protocol

from services.betting.application import hands as betting
from services.betting.application.commands import Act, Expire, Expired, OpenHand, OpenStreet, Settle, Settled
from services.betting.domain.outcome import BettingOutcome
from services.evaluator.domain.boards import BoardOrder, SeatBoard, order_boards
from services.evaluator.domain.bring_in import SeatDoorCard, order_bring_in
from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import Showdown, rank_showdown
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from shared.kernel.cards import Card
from shared.kernel.rules import HandRules
from tests.support.in_process_cards import ScriptedCards, TableCards


class TableServices(Protocol):
    """The three services that a hand needs."""

    def open_hand(self, command: OpenHand) -> BettingOutcome:
        """Betting: the antes are taken."""
        ...

    def open_street(self, command: OpenStreet) -> BettingOutcome:
        """Betting: a street is opened."""
        ...

    def act(self, command: Act) -> BettingOutcome:
        """Betting: a seat acts."""
        ...

    def expire(self, command: Expire) -> Expired:
        """Betting: a clock ended, or a player is away."""
        ...

    def settle(self, command: Settle) -> Settled:
        """Betting: the pots are paid."""
        ...

    def order_bring_in(self, doors: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
        """Evaluator: who owes the bring-in."""
        ...

    def order_boards(self, boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
        """Evaluator: who opens."""
        ...

    def rank_showdown(
        self,
        hands: Sequence[SeatHand],
        common_card: Card | None,
        pots: Sequence[PotToWin],
        river: River,
        rules: HandRules,
    ) -> Showdown:
        """Evaluator: who wins, who shows."""
        ...

    def cards(self, seats: tuple[int, ...], rules: HandRules, seed: bytes, script: ScriptedCards | None) -> TableCards:
        """Dealer: the deck of a hand."""
        ...


class InProcess:
    """The services' own code, called directly."""

    def open_hand(self, command: OpenHand) -> BettingOutcome:
        return betting.open_hand(command).outcome

    def open_street(self, command: OpenStreet) -> BettingOutcome:
        return betting.open_street(command).outcome

    def act(self, command: Act) -> BettingOutcome:
        return betting.act(command).outcome

    def expire(self, command: Expire) -> Expired:
        return betting.expire(command)

    def settle(self, command: Settle) -> Settled:
        return betting.settle(command)

    def order_bring_in(self, doors: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
        return order_bring_in(doors, rules)

    def order_boards(self, boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
        return order_boards(boards, common_card, rules)

    def rank_showdown(
        self,
        hands: Sequence[SeatHand],
        common_card: Card | None,
        pots: Sequence[PotToWin],
        river: River,
        rules: HandRules,
    ) -> Showdown:
        return rank_showdown(hands, common_card, pots, river, rules)

    def cards(self, seats: tuple[int, ...], rules: HandRules, seed: bytes, script: ScriptedCards | None) -> TableCards:
        return TableCards.shuffled(seats, rules, seed, script)


IN_PROCESS = InProcess()
