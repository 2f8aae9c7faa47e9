"""An auditor's walk through an exported journal; this file alone, with nothing but Python's own library.

    python walk.py journal.jsonl [--heads heads.json]

The journal has one JSON object a line: an entry as JournalEntry of sevenstud.tournament_ledger.v1 in protobuf's JSON
(numbers of 64 bits as texts, bytes in base64). Entries of a book come in order; books may be mixed. The walk checks
every hash and every number, recomputes every balance, and for each tournament every place and every prize from the
hands and the announcement alone, and prints what it found as JSON. Exit code 0 only if nothing is wrong.
"""

import base64
import calendar
import hashlib
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

Fields = dict[str, str]
_ESCAPED = {"\\": "\\", "n": "\n", "r": "\r"}
MAY_BE_NEGATIVE = re.compile(r"^outside/|/guarantee$|/chips_issued$")


def micros(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 moment in UTC."""
    whole, _, rest = text.removesuffix("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 10**6 + int(rest.ljust(9, "0")[:6])


def digest(entry: Any) -> bytes:
    """The hash of an entry, from all of its other fields."""
    parts = [entry["book"], entry["number"], entry["kind"].removeprefix("ENTRY_KIND_"), entry.get("subject", "")]
    postings = entry.get("postings", [])
    parts.append(str(len(postings)))
    for each in postings:
        parts += [each["fromAccountId"], each["toAccountId"], each["amount"], each["unit"]]
    parts += [str(micros(entry["at"])), entry.get("requestId", "")]
    raw = [part.encode() for part in parts] + [base64.b64decode(entry["previousHash"])]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in raw)).digest()


def facts_of(subject: str) -> list[tuple[str, Fields]]:
    """The facts that a subject tells, as (name, {key: value})."""
    found: list[tuple[str, Fields]] = []
    for line in subject.split("\n") if subject else ():
        key, _, value = line.partition("=")
        if key == "fact":
            found.append((value, {}))
        else:
            found[-1][1][key] = re.sub(r"\\([\\nr])", lambda found: _ESCAPED[found[1]], value)
    return found


def items(fact: Fields, name: str) -> list[Any]:
    """A list of nested fields."""
    count = int(fact.get(f"{name}.#", 0))
    rows: list[Any] = []
    for at in range(count):
        start = f"{name}.{at}"
        if start in fact:
            rows.append(fact[start])
        else:
            rows.append({key[len(start) + 1 :]: value for key, value in fact.items() if key.startswith(start + ".")})
    return rows


class Book:
    """One chain of entries."""

    def __init__(self) -> None:
        self.number, self.hash, self.at = 0, bytes(32), -1

    def take(self, entry: Any) -> Iterator[str]:
        """Check that the entry follows; its faults."""
        name = f"{entry['book']} entry {entry['number']}"
        number, at, own = int(entry["number"]), micros(entry["at"]), base64.b64decode(entry["hash"])
        if number != self.number + 1:
            yield f"{name}: {self.number + 1} is expected"
        if base64.b64decode(entry["previousHash"]) != self.hash:
            yield f"{name}: does not name the hash of the entry before"
        if digest(entry) != own:
            yield f"{name}: its hash does not fit its fields"
        if at <= self.at:
            yield f"{name}: is not later than the entry before"
        self.number, self.hash, self.at = number, own, at


class Tournament:
    """What one tournament came to, worked out from purchases and hands."""

    def __init__(self, name: str) -> None:
        self.name, self.faults = name, list[str]()
        self.rules: Fields = {}
        self.fee = self.entrants = self.fund = self.hands = 0
        self.chips, self.reserve, self.spent, self.paid = (defaultdict[str, int](int) for _ in range(4))
        self.busts: dict[str, tuple[int, int, str]] = {}  # of who has no chips: hand, chips at its start, table
        self.as_one = 0  # the hand that a round of hand for hand began with: its exclusions are one moment (rule 185)
        self.table_id = ""
        self.proposed: list[tuple[str, int]] = []
        self.deal: dict[str, int] = {}  # the shares that all agreed on, most chips first
        self.rest = 0
        self.left: set[str] = set()
        self.told: dict[str, int] = {}
        self.hand: dict[str, int] = {}
        self.prizes: list[int] = []
        self.winner = ""

    def rule(self, name: str) -> str:
        """A rule by its path."""
        return self.rules.get(f"rules.tournament.{name}", "")

    def share(self, price: int) -> int:
        """What of a price goes to the prizes, rounded up."""
        return -(-price * int(self.rule("prize_share_basis_points")) // 10_000)

    def take(self, name: str, fact: Fields) -> None:
        """One fact."""
        handler = getattr(self, "on_" + ("MatchEnded" if name == "QualifiersDrawn" else name), None)
        try:
            if handler:
                handler(fact)
        except (KeyError, ValueError) as lost:
            self.faults.append(f"{self.name}: {name} makes no sense after what came before: {lost!r}")

    def on_TournamentAnnounced(self, fact: Fields) -> None:
        self.rules, self.fee = fact, int(fact["announcement.fee.amount_minor"])

    def on_PlayerRegistered(self, fact: Fields) -> None:
        if not self.left:  # a later entry says its price itself
            self.spent[fact["player_id"]] += self.fee

    def on_PlayerUnregistered(self, fact: Fields) -> None:
        self.spent[fact["player_id"]] -= self.fee

    def on_TournamentStarted(self, fact: Fields) -> None:
        stack = int(self.rule("starting_stack_chips"))
        kept = stack // 2 if self.rule("double_chance.offered") == "true" else 0
        for player in items(fact, "player_ids"):
            self.chips[player], self.reserve[player] = stack - kept, kept
            self.left.add(player)
            self.fund += self.share(self.fee)
        self.entrants = len(self.left)

    def on_PlayerEnteredLate(self, fact: Fields) -> None:
        player, price, again = fact["player_id"], int(fact["price_minor"]), int(fact["re_entries"])
        self.chips[player] += int(fact["chips"])
        self.reserve[player] = int(fact["reserve_chips"])
        self.spent[player] += price
        self.fund += self.share(price)
        worst = self.told.pop(player) if again else len(self.left) + 1
        self.told = {each: place + (place <= worst) for each, place in self.told.items()}
        self.busts.pop(player, None)
        self.left.add(player)
        self.entrants = len(self.left)

    def on_ChipsPurchased(self, fact: Fields) -> None:
        price = int(fact["price_minor"])
        self.chips[fact["player_id"]] += int(fact["chips"])
        self.spent[fact["player_id"]] += price
        self.fund += self.share(price)
        self.busts.pop(fact["player_id"], None)

    def on_PurchaseReturned(self, fact: Fields) -> None:
        price = int(fact["price_minor"])
        self.chips[fact["player_id"]] -= int(fact["chips"])
        self.spent[fact["player_id"]], self.fund = self.spent[fact["player_id"]] - price, self.fund - self.share(price)

    def on_SecondChanceReleased(self, fact: Fields) -> None:
        player, chips = fact["player_id"], int(fact["chips"])
        if self.reserve[player] != chips:
            self.faults.append(f"{self.name}: {player} has {self.reserve[player]} in reserve, {chips} were released")
        self.chips[player] += chips
        self.reserve[player] = 0

    def on_HandRecorded(self, fact: Fields) -> None:
        self.hand = {row["player_id"]: int(row["before_chips"]) for row in items(fact, "results")}
        total = 0
        for row in items(fact, "results"):
            change = int(row["after_chips"]) - int(row["before_chips"])
            self.chips[row["player_id"]] += change
            total += change
        if total:
            self.faults.append(f"{self.name}: hand {fact['hand_id']} makes {total} chips")
        self.hands += 1
        self.table_id = fact["table_id"]
        in_round = int(fact.get("hand_for_hand_round", 0))
        self.as_one = (self.as_one or self.hands) if in_round else 0

    def on_HandForHandRoundEnded(self, fact: Fields) -> None:
        self.as_one = 0

    def on_MatchEnded(self, fact: Fields) -> None:
        for player in items(fact, "qualified_player_ids"):  # also who was among the last to lose all (rule 156)
            self.busts.pop(player, None)

    def on_RoundStarted(self, fact: Fields) -> None:
        stack = int(fact["stack_chips"])
        for seat in items(fact, "seats"):
            if stack:
                self.chips[seat["player_id"]] = stack

    def on_DealProposed(self, fact: Fields) -> None:
        shares = items(fact, "deal.shares")
        self.proposed = [(row["player_id"], int(row["amount_minor"])) for row in shares]
        self.rest = int(fact["deal.rest_minor"])

    def on_DealAgreed(self, fact: Fields) -> None:
        self.deal = dict(self.proposed)

    def on_PlayerBusted(self, fact: Fields) -> None:
        player = fact["player_id"]
        if self.chips[player] or self.reserve[player]:
            self.faults.append(f"{self.name}: {player} is told busted with chips")
        self.busts[player] = (self.as_one or self.hands, self.hand[player], self.table_id)

    def on_PrizesFixed(self, fact: Fields) -> None:
        self.fund += int(fact.get("guarantee_added_minor", 0))
        self.prizes = [int(prize) for prize in items(fact, "prizes_minor")]

    def on_PlayerPlaced(self, fact: Fields) -> None:
        self.told[fact["player_id"]] = int(fact["place"])

    def on_PrizePaid(self, fact: Fields) -> None:
        self.paid[fact["player_id"]] += int(fact["amount_minor"])

    def on_TournamentFinished(self, fact: Fields) -> None:
        self.winner = fact["winner_player_id"]

    def places(self) -> dict[str, int]:
        """Places by the moment of exclusion: (hand, chips at its start), equal ones shared."""
        shared = {bust[0] for bust in self.busts.values()} if self.rule("same_hand_rank") == "SHARE" else set[int]()
        if self.rule("hand_for_hand_across_tables") == "SHARE":
            tables: defaultdict[int, set[str]] = defaultdict(set)
            for hand, _, table_id in self.busts.values():
                tables[hand].add(table_id)
            shared |= {hand for hand, found in tables.items() if len(found) > 1}
        keys = {player: (hand, 0 if hand in shared else chips) for player, (hand, chips, _) in self.busts.items()}
        found = {player: 1 for player in self.left if player not in keys}
        for player, key in keys.items():
            found[player] = 1 + len(self.left) - len(keys) + sum(other > key for other in keys.values())
        if self.deal and not self.rest:  # the event ended with it: places by the shares
            ranked = sorted(self.deal, key=lambda player: -self.deal[player])
            found |= {player: place for place, player in enumerate(ranked, start=1)}
        return found

    def table(self) -> list[int]:
        """The prize table from fund, entrants and the announced weights."""
        seat = int(self.rule("satellite_seat_minor") or 0)
        if seat:
            seats = min(self.fund // seat, self.entrants - 1)
            rest = self.fund - seats * seat
            return [seat] * seats + ([rest] if rest else [])
        announced = items(self.rules, "rules.tournament.prize_rows")
        rows = [(int(row["entrants_min"]), [int(w) for w in items(row, "weights")]) for row in announced]
        weights = [1]
        if self.rule("prize_mode") != "WINNER":
            fitting = [row for row in rows if row[0] <= self.entrants] or rows[:1]
            weights = max(fitting)[1][: self.entrants]
        keep = self.rule("top_prize_above_fee") == "true" and self.rule("top_prize_fix") == "FEWER_PLACES"
        while keep and len(weights) > 1 and self.split(self.by_place(weights))[0] <= self.fee:
            weights = weights[:-1]
        return self.split(self.by_place(weights)) if self.fund else []

    def by_place(self, weights: list[int]) -> list[int]:
        """Weights of places; where prizes are for rounds passed, one weight holds for all who passed as many."""
        if self.rule("prize_mode") != "ROUNDS":
            return weights
        seats, most = int(self.rules["announcement.seats_per_table"]), int(self.rule("qualifiers"))
        began = [self.entrants]
        while began[-1] > seats:
            tables = -(-began[-1] // seats)
            sizes = [began[-1] // tables + (at < began[-1] % tables) for at in range(tables)]
            began.append(sum(min(size, most) for size in sizes))
        counts = [1, *(after - before for before, after in pairwise([1, *reversed(began)]))]
        return [weight for weight, count in zip(weights, counts, strict=False) for _ in range(count)]

    def split(self, weights: Sequence[int]) -> list[int]:
        """The fund by weights: down to the cent, the rest as announced."""
        exact = [Fraction(self.fund * weight, sum(weights)) for weight in weights]
        prizes = [int(each) for each in exact]
        rest, order = self.fund - sum(prizes), list(range(len(weights)))
        if self.rule("prize_rest") == "WINNER":
            order = [0] * rest
        elif self.rule("prize_rest") == "LARGEST_REMAINDER":
            order.sort(key=lambda at: (int(exact[at]) - exact[at], at))
        for at in order[:rest]:
            prizes[at] += 1
        return prizes

    def finish(self) -> dict[str, Any]:
        """Compare with what the journal says; answers places and prizes as worked out here."""
        if not self.winner:
            return {"places": {}, "prizes": {}, "fund": self.fund, "over": False}
        places, table = self.places(), self.table()
        if places.get(self.winner) != 1:
            self.faults.append(f"{self.name}: {self.winner} is told the winner and is not the last one left")
            return {"places": places, "prizes": {}, "fund": self.fund, "over": False}
        if places != self.told:
            odd = {p: (places.get(p), self.told.get(p)) for p in places if places.get(p) != self.told.get(p)}
            self.faults.append(f"{self.name}: places (worked out, told): {odd}")
        if table != self.prizes:
            self.faults.append(f"{self.name}: prize table {self.prizes}, worked out {table}")
        prizes = self.due(places, table)
        for player, share in self.deal.items():  # the winner also what was left to be played for
            prizes[player] = share + (self.rest if player == self.winner else 0)
        self.compare_paid(prizes)
        return {"places": places, "prizes": prizes, "fund": self.fund, "over": True}

    def compare_paid(self, prizes: dict[str, int]) -> None:
        """Every prize, all of them together, and the most that one player may pay."""
        for player, prize in prizes.items():
            if prize != self.paid[player]:
                self.faults.append(f"{self.name}: {player} was paid {self.paid[player]}, worked out {prize}")
        if sum(self.paid.values()) != self.fund:
            self.faults.append(f"{self.name}: {sum(self.paid.values())} paid of a fund of {self.fund}")
        cap = int(self.rule("spend_cap_minor") or 0)
        self.faults += [f"{self.name}: {p} spent {s}, over the cap" for p, s in self.spent.items() if 0 < cap < s]

    def due(self, places: dict[str, int], table: Sequence[int]) -> dict[str, int]:
        """What each place earns: who ties shares, what does not divide is for the winner of the event."""
        tied = Counter(places.values())
        prizes = {name: sum(table[at - 1 : at - 1 + tied[at]]) // tied[at] for name, at in places.items()}
        prizes[self.winner] += self.fund - sum(prizes.values())
        return prizes


class Accounts:
    """Balances by account, each in its one unit."""

    def __init__(self) -> None:
        self.balances: defaultdict[str, int] = defaultdict(int)
        self.units: dict[str, str] = {}

    def take(self, posting: Any) -> Iterator[str]:
        """Move an amount; what is wrong with it."""
        self.balances[posting["fromAccountId"]] -= int(posting["amount"])
        self.balances[posting["toAccountId"]] += int(posting["amount"])
        for account in (posting["fromAccountId"], posting["toAccountId"]):
            if self.units.setdefault(account, posting["unit"]) != posting["unit"]:
                yield f"{account} holds two units"

    def finish(self) -> Iterator[str]:
        """Accounts below zero that may not be, units that do not sum up to zero."""
        sums: defaultdict[str, int] = defaultdict(int)
        for account, balance in self.balances.items():
            sums[self.units[account]] += balance
            if balance < 0 and not MAY_BE_NEGATIVE.search(account):
                yield f"{account} is at {balance}"
        yield from (f"{unit} sums up to {total}" for unit, total in sums.items() if total)


def walk(lines: Iterable[str], kept: Iterable[tuple[str, Any]] = ()) -> dict[str, Any]:
    """All of it: heads, balances, sums, tournaments, faults. Heads kept outside may be older than the journal."""
    books: defaultdict[str, Book] = defaultdict(Book)
    accounts, tournaments = Accounts(), dict[str, Tournament]()
    faults, count, missing = list[str](), 0, dict(kept)
    for line in lines:
        entry, count = json.loads(line), count + 1
        book = books[entry["book"]]
        faults += book.take(entry)
        if missing.get(entry["book"]) == [book.number, book.hash.hex()]:
            del missing[entry["book"]]
        for each in entry.get("postings", []):
            faults += accounts.take(each)
        kind, _, name = entry["book"].partition(":")
        if kind == "tournament":
            event = tournaments.setdefault(name, Tournament(name))
            for fact, fields in facts_of(entry.get("subject", "")):
                event.take(fact, fields)
    results = {name: event.finish() for name, event in tournaments.items()}
    for event in tournaments.values():
        faults += event.faults
    faults += [f"{book} has no entry {head[0]} with the hash kept outside" for book, head in missing.items()]
    return {
        "entries": count,
        "heads": {name: [book.number, book.hash.hex()] for name, book in books.items()},
        "balances": dict(accounts.balances),
        "tournaments": results,
        "faults": [*faults, *accounts.finish()],
    }


def main(arguments: Sequence[str]) -> int:
    """Walk one file."""
    heads = Path(arguments[arguments.index("--heads") + 1]).read_text("utf-8") if "--heads" in arguments else "{}"
    with Path(arguments[0]).open(encoding="utf-8") as journal:
        found = walk(journal, json.loads(heads).items())
    json.dump(found, sys.stdout, indent=1, sort_keys=True)
    return 1 if found["faults"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
