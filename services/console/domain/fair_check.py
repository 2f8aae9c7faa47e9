"""Checking a hand: each shown card was committed to before the first action and dealt by the published rule."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.console.domain.fair_cards import check_cards, check_seats, check_whole, may_hold
from services.console.domain.fair_deal import Dealt, Place, deal_again, of_record, of_table
from services.console.domain.fair_hashes import card_leaf, climb, packed, rules_digest, sha
from services.console.domain.fair_moments import DEAL_STREET, check_end, check_moments, told_before_void
from services.console.domain.fair_record import (
    DealerRecord,
    Evidence,
    Opening,
    OwnOpenings,
    SeatEntropy,
    TableRecord,
    dealing_rules,
    require,
)
from services.console.domain.fair_seals import check_seals
from services.console.domain.fair_untold import deal_untold
from shared.kernel.cards import DECK_SIZE, Card, card_text

SHUFFLE_VERSION = "sevenstud-fisher-yates-1"
PATH_LENGTH = 7
OPEN_HAND, OPEN_CARDS = "open_hand", "open_cards"


@dataclass(slots=True)
class Proven:
    """What a check has proved."""

    lines: list[str] = field(default_factory=list[str])
    """Sentences, in the order in which they were proved."""
    limits: list[str] = field(default_factory=list[str])
    """What cannot be proved from what there is."""
    cards: dict[int, tuple[Place, Card]] = field(default_factory=dict[int, tuple[Place, Card]])
    """By position: cards that are proved, own ones included."""
    dealt: Dealt = field(default_factory=Dealt)


def check(evidence: Evidence) -> Proven:
    """Check all there is of a hand; Mismatch names the first thing that does not hold."""
    proven = Proven()
    record, table = evidence.record, evidence.table
    require(record is not None or table is not None, "neither the dealer's record nor the table's events are at hand")
    if evidence.stranger:
        proven.limits.append(f"any card of {evidence.stranger}: the table says that this player was not dealt in")
    if table is not None and table.called_off:
        return _check_called_off(evidence, table, proven)
    if record is not None:
        _check_record(record, table, proven)
    elif table is not None:
        _check_table(table, proven)
    if table is not None:
        _check_moment(table, proven)
        _check_seen(table, record, proven)
        what = f"the table gave no proofs of the own cards of seat {evidence.seat}"
        require(evidence.own is not None or not evidence.seat or not table.streets, what)
    if evidence.own is not None:
        _check_own(
            evidence, evidence.own, record.commitment.deck_root if record else table.deck_root if table else b"", proven
        )
    if table is not None:
        _check_given(table, proven)
    lines, limits = check_seals(evidence)
    proven.lines += lines
    proven.limits += limits
    _check_unknown(proven)
    check_cards(proven.cards)
    return proven


def _check_called_off(evidence: Evidence, table: TableRecord, proven: Proven) -> Proven:
    """What was prepared could not be played, so nothing was bound: nor was a card dealt to anybody."""
    record = evidence.record
    require(evidence.own is None, "own cards are said to be of a hand that was called off before it was dealt")
    if record is not None:
        require((record.hand_id, record.table_id) == (table.hand_id, table.table_id), "the table says another hand")
        require(
            not record.openings and not any(step.step == DEAL_STREET for step in record.steps),
            "the dealer dealt all the same",
        )
    proven.limits.append("the hand was called off before it was dealt: there is nothing to prove")
    return proven


def _check_record(record: DealerRecord, table: TableRecord | None, proven: Proven) -> None:
    """The dealer's record in itself, and against what the table published."""
    bound = record.commitment
    _require_fair(bound.shuffle_version, scripted=bound.scripted)
    require(record.steps[:1] != () and record.steps[0].step == OPEN_HAND, "the record does not begin with its opening")
    check_seats(record)
    if record.reshuffle_key:
        own = sha(packed(b"sevenstud river 1", record.hand_id.encode(), record.reshuffle_key))
        require(own == bound.reshuffle_commitment, "the key of the reshuffle is not the one that was committed to")
    proven.dealt = deal_again(record.seats, of_record(record.steps), record.rules, record.reshuffle_key)
    if table is not None:
        _compare(record, table)
        check_end(record, table)
        proven.lines.append("the table published the same commitments, seats and rules when the hand began")
        proven.lines += check_moments(record, table)
        if table.entropy:
            added = ", ".join(str(each.seat) for each in _by_seat(table.entropy))
            proven.lines.append(f"the deck root holds what seats {added} added")
            proven.limits.append(
                "that the seed was committed to before they added it: who watched the table has the commitment in the "
                "event entropy_asked, and it must be the one of this hand"
            )
            proven.limits.append(
                "that the deck was made of seed and entropy: the seed stays closed, because it would show mucked cards"
            )
    else:
        proven.limits.append(
            "what the table published was not at hand: the moment of the commitment and the rules rest on the record"
        )
    _check_openings(record.openings, bound.deck_root, public_leaf(record), proven)
    proven.lines.append("the deck root binds hand, table, number, seats, rules, seed and entropy of this hand alone")
    _check_complete(record, proven)
    if table is not None:
        _check_opened(record, table, proven)
    proven.lines.append("every up card is proved, and of the down cards those alone whose seats showed")


def _require_fair(version: str, *, scripted: bool) -> None:
    require(not scripted, "the cards of this hand were chosen beforehand: no fairness is claimed")
    require(version == SHUFFLE_VERSION, f"this program knows the shuffle {SHUFFLE_VERSION}, not {version!r}")


def public_leaf(record: DealerRecord) -> bytes:
    """The right side of the root: everything public that the deck is bound to."""
    bound = record.commitment
    terms = packed(
        bound.shuffle_version.encode(),
        record.hand_id.encode(),
        record.table_id.encode(),
        record.hand_number.to_bytes(8, "big"),
        bytes(record.seats),
        record.rules_digest,
        bytes((bound.scripted,)),
    )
    entropy = packed(*(bytes((each.seat,)) + each.entropy for each in _by_seat(record.entropy)))
    return sha(b"\x02", packed(terms, bound.seed_commitment, entropy, bound.reshuffle_commitment))


def _compare(record: DealerRecord, table: TableRecord) -> None:
    bound = record.commitment
    named = (record.hand_id, record.table_id, record.hand_number, record.seats)
    require(named == (table.hand_id, table.table_id, table.hand_number, table.seats), "the table says another hand")
    require(bound.shuffle_version == table.shuffle_version, "the table published another shuffle")
    require(
        bound.scripted == table.scripted, "the table says that the cards were chosen, the dealer that they were not"
    )
    require(bound.seed_commitment == table.seed_commitment, "the table published another seed commitment")
    require(bound.deck_root == table.deck_root or not table.deck_root, "the table published another deck root")
    require(_by_seat(record.entropy) == _by_seat(table.entropy), "the table published other entropy of its players")
    require(record.rules_digest == rules_digest(table.rules), "the table published other rules")
    require(record.rules == dealing_rules(table.rules), "the dealer followed other rules than the table published")


def _by_seat(entropy: Sequence[SeatEntropy]) -> list[SeatEntropy]:
    return sorted(entropy, key=lambda each: each.seat)


def _check_openings(openings: Sequence[Opening], root: bytes, leaf: bytes | None, proven: Proven) -> None:
    """Every opened card lay at its position when the root was made, and went where the deal says."""
    for each in openings:
        shaped = len(each.path) == PATH_LENGTH and each.position < DECK_SIZE and 0 < each.card <= DECK_SIZE
        require(shaped, "a proof is not of the right shape")
        require(leaf is None or each.path[-1] == leaf, f"the proof of {card_text(each.card)} is of another hand")
        found = climb(card_leaf(each.position, each.salt, each.card), each.position, each.path)
        require(found == root, f"{card_text(each.card)} is not the card that was committed to")
        place = proven.dealt.place_of(each.position, each.seat)
        what = f"{card_text(each.card)} is said to be of seat {each.seat}, but its place was not dealt to it"
        require(place is not None and place.seat == each.seat, what)
        if place is not None:
            proven.cards[each.position] = (place, each.card)


def _check_complete(record: DealerRecord, proven: Proven) -> None:
    opened = {opening.position for opening in record.openings}
    shown = {seat for step in record.steps if step.step == OPEN_CARDS for seat in step.seats}
    for position, place in proven.dealt.places.items():
        require(not place.face_up or position in opened, f"an up card of seat {place.seat} is not opened")
        require(place.face_up or place.seat in shown or position not in opened, "a card that nobody showed is opened")


def _check_opened(record: DealerRecord, table: TableRecord, proven: Proven) -> None:
    """What the table opened: also hands that were shown when the dealer had closed the hand, which it has alone."""
    shown = {seat for seat, _ in table.shown}
    for each in table.openings:
        late = each.position not in proven.cards
        require(not late or each.seat in shown, f"the table opened a card of seat {each.seat}, which showed nothing")
    _check_openings(table.openings, record.commitment.deck_root, public_leaf(record), proven)


def _check_table(table: TableRecord, proven: Proven) -> None:
    """What the table published, without the dealer's record."""
    _require_fair(table.shuffle_version, scripted=table.scripted)
    require(bool(table.deck_root), "the table published no deck root when the hand began")
    proven.dealt = deal_again(table.seats, of_table(table.streets), dealing_rules(table.rules), b"")
    leaf = table.openings[0].path[-1] if table.openings and table.openings[0].path else None
    _check_openings(table.openings, table.deck_root, leaf, proven)
    shown = {seat for seat, _ in table.shown}
    for place, _ in proven.cards.values():
        require(
            place.face_up or place.seat in shown, f"the table opened a card of seat {place.seat}, which showed nothing"
        )
    proven.limits.append("that the root binds the hand's terms needs the dealer's record: all proofs end in one leaf")
    if proven.dealt.unknown:
        proven.limits.append(
            "how the river was mixed needs the dealer's record: its cards are from the pile they must be"
        )


def _check_unknown(proven: Proven) -> None:
    """Of a river that was mixed in a way that is not known, no more cards are opened than were dealt, one a seat."""
    opened = [place.seat for position, (place, _) in proven.cards.items() if position in proven.dealt.unknown]
    enough = len(opened) <= proven.dealt.unknown_count and len(set(opened)) == len(opened)
    require(enough, "more cards of the river are opened than were dealt")


def _check_moment(table: TableRecord, proven: Proven) -> None:
    """The commitment was published before any card and before any action."""
    require(bool(table.deck_root), "the table published no deck root when the hand began")
    later = [version for version in (table.first_card_version, table.first_action_version) if version]
    require(all(version > table.started_version for version in later), "the commitment came after a card or an action")
    said = f"the deck root stood in event {table.started_version} of the table"
    if table.first_card_version:
        said += f", before the first card (event {table.first_card_version})"
    if table.first_action_version:
        said += f" and the first action (event {table.first_action_version})"
    proven.lines.insert(0, said)
    proven.limits.append(
        "that the table told the same while the hand was played: who watched it then holds the own down cards, and the "
        f"deck root {table.deck_root.hex()} of hand_started, against this"
    )


def _check_seen(table: TableRecord, record: DealerRecord | None, proven: Proven) -> None:
    """Every card that the table showed to everybody is a proved card of that seat and street."""
    require(table.voided or bool(table.openings) or not table.streets, "the table published no openings")
    for each in table.streets:
        told = () if each.source.common else each.live
        require(each.seats == told, f"the table showed {each.street} to who had folded, or not to who was in it")
    if table.voided:
        proven.limits.append("the hand was voided: nothing was opened")
        if record is not None:
            _check_seen_before_void(table, proven)
            proven.limits += told_before_void(record, table)
        return
    up = sorted((place.seat, place.street, card) for place, card in proven.cards.values() if place.face_up)
    seen = sorted((seat, each.street, card) for each in table.streets for seat, card in each.cards)
    require(up == seen, "the up cards that the table showed are not the ones that were committed to")
    for seat, cards in table.shown:
        require(seat not in table.folded_seats, f"seat {seat} had folded, and its hand was shown")
        own = sorted(card for place, card in proven.cards.values() if place.seat == seat)
        what = f"seat {seat} showed a hand of which the table opened nothing: nothing proves it"
        require(not set(own) < set(cards) or len(set(cards)) < len(cards), what)
        require(own == sorted(cards), f"the hand that seat {seat} showed is not the one that was committed to")
    same = {(each.position, each.card) for each in table.openings}
    require(all(proven.cards.get(at, (None, None))[1] == card for at, card in same), "the table opened another card")
    hands = "1 hand" if len(table.shown) == 1 else f"{len(table.shown)} hands"
    proven.lines.append(f"the {len(seen)} up cards and {hands} that the table showed are those cards")


def _check_seen_before_void(table: TableRecord, proven: Proven) -> None:
    """What the table showed until the hand was voided, as far as the dealer's record has it."""
    told = {each.street for each in table.streets}
    up = [(place.seat, place.street, card) for place, card in proven.cards.values() if place.face_up]
    seen = sorted((seat, each.street, card) for each in table.streets for seat, card in each.cards)
    what = "the up cards that the table showed before the void are not the ones that were committed to"
    require(seen == sorted(each for each in up if each[1] in told), what)
    for seat, cards in table.shown:
        what = f"the hand that seat {seat} showed before the void is not the one that was committed to"
        own = {place for place in proven.dealt.places.values() if place.seat == seat}
        require(may_hold(own, cards, proven.cards, proven.dealt.places), what)


def _check_given(table: TableRecord, proven: Proven) -> None:
    """The down cards that the table gave to the viewer, as far as they are proved: of a hand that was shown, all."""
    given: list[tuple[int, Card]] = []
    for street in table.streets:
        if proven.dealt.unknown and street.source.mixed:
            continue  # which of the river's positions went to whom is not known
        given += street.down_cards
        for seat in sorted({seat for seat, _ in street.down_cards}):
            cards = [card for at, card in street.down_cards if at == seat]
            here = {Place(seat, street.street, face_up=False)}
            what = f"the down cards that the table gave to seat {seat} are not the ones that were committed to"
            require(may_hold(here, cards, proven.cards, proven.dealt.places), what)
    require(len({card for _, card in given}) == len(given), "the table gave a card twice")
    proved = {card for _, card in proven.cards.values()}
    unproved = ", ".join(str(seat) for seat in sorted({seat for seat, card in given if card not in proved}))
    if unproved:
        proven.limits.append(f"the down cards of seats {unproved}, which the table told and nobody showed")


def _add_untold(table: TableRecord, own: OwnOpenings, proven: Proven) -> None:
    """Own cards of a street that was dealt just before the hand was voided, and that the table told of no more."""
    new = {each.position for each in own.openings} - set(proven.dealt.places) - proven.dealt.unknown
    ahead = deal_untold(table, proven.dealt) if new else None
    if ahead is None:
        return
    proven.dealt.places |= {position: place for position, place in ahead.places.items() if position in new}
    if ahead.unknown:
        proven.dealt.unknown, proven.dealt.unknown_count = ahead.unknown, ahead.unknown_count
    proven.limits.append("why the hand was voided when one more street was dealt, of which the table does not tell")


def _check_own(evidence: Evidence, own: OwnOpenings, root: bytes, proven: Proven) -> None:
    """A seat's own cards, down cards included, and that they are those that the table gave to the seat."""
    record, table = evidence.record, evidence.table
    require(own.commitment.deck_root == root, "these openings are of another deck")
    if record is None and table is not None:
        _add_untold(table, own, proven)
    leaf = next((each.path[-1] for each in own.openings if each.path), None)
    _check_openings(own.openings, root, leaf, proven)
    seats = {each.seat for each in own.openings if each.seat}
    require(len(seats) == 1, "these openings are of no seat, or of more than one")
    (seat,) = seats
    mine = table.viewer_seats if table is not None else ()
    mine = (evidence.seat,) if evidence.seat else mine or (seat,)
    named = ", ".join(map(str, mine))
    require(seat in mine, f"these openings are of seat {seat}: the table gave the player the cards of seat {named}")
    check_whole(proven.dealt.places, seat, [each.position for each in own.openings])
    streets = () if table is None else table.streets
    given = [(at, street.street, card) for street in streets for at, card in street.down_cards if at == seat]
    proved = {(place.seat, place.street, card) for place, card in proven.cards.values() if not place.face_up}
    require(
        all(each in proved for each in given),
        f"the down cards that the table gave to seat {seat} are not the ones that were committed to",
    )
    proven.lines.append(f"all {len(own.openings)} own cards of seat {seat} are proved, down cards too")
