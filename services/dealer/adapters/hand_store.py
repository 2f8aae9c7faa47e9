"""The hands in the durable store: the record as a stored message, its secrets sealed, both in one row."""

from sevenstud.dealer.stored.v1 import hand_record_pb2 as stored

from services.dealer.adapters.record_binding import bound, check_bound
from services.dealer.adapters.shuffle_book import use
from services.dealer.adapters.vault import KeyMissing, SealBroken, Vault, key_id_of
from services.dealer.domain.commitment import seed_commitment
from services.dealer.domain.hand import HandRecord
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.ports import Asked, Found, Look
from shared.kernel.errors import DomainError, Reason
from shared.rpc.mirror import from_proto, to_proto
from shared.storage.database import SqlValue, Statement, Store, StoreRefused


class StoredHands:
    """See services.dealer.ports.HandStore."""

    def __init__(self, store: Store, vault: Vault) -> None:
        """Use these."""
        self._store = store
        self._vault = vault

    async def check_keys(self) -> None:
        """Refuse to start where hands in play are sealed under keys that are missing or wrong."""
        rows = await self._store.read(_ONE_OPEN_HAND_A_KEY)
        for key_id, hand_id, sealed in rows:
            try:
                self._vault.open(_text(hand_id), _bytes(sealed))  # the seal alone: a changed record stops its own hand
            except SealBroken as fault:
                message = f"hands in play are sealed under the key {key_id!r} ({fault}): add this key to the key ring"
                raise StoreRefused(message) from None

    async def look(self, hand_id: str, request_id: str = "", table_id: str = "") -> Look:
        """See HandStore.look; one read."""
        (row,) = await self._store.read(_SELECT, (hand_id, request_id, table_id))
        record, sealed, asked_hand, asked_step, last_number = row
        found = None if record is None else self._found(hand_id, _bytes(record), _bytes(sealed))
        asked = None if asked_hand is None else Asked(_text(asked_hand), _number(asked_step))
        return Look(found, asked, 0 if last_number is None else _number(last_number))

    async def add(self, record: HandRecord, secrets: HandSecrets, request_id: str, shuffle_id: str) -> None:
        """See HandStore.add."""
        terms = record.terms
        plain = to_proto(secrets, stored.HandSecrets)
        plain.record_bound = True
        sealed = self._vault.seal(terms.hand_id, plain.SerializeToString())
        key = (terms.hand_id, terms.table_id, terms.hand_number, record.version, _state(record), key_id_of(sealed))
        values = (*key, record.seed_commitment, _serialised(record, secrets), sealed)
        hand = Statement(_INSERT, values, rows=1, label="hand")
        await self._store.write([hand, use(shuffle_id), _request(request_id, Asked(terms.hand_id, 0))])

    async def save(self, record: HandRecord, secrets: HandSecrets, request_id: str) -> None:
        """See HandStore.save."""
        hand_id, before = record.terms.hand_id, record.version - 1
        values = (record.version, _state(record), _serialised(record, secrets), hand_id, before)
        step = Statement(_UPDATE, values, rows=1, label="step")
        await self._store.write([step, _request(request_id, Asked(hand_id, before))])

    async def remember(self, request_id: str, asked: Asked) -> None:
        """See HandStore.remember."""
        await self._store.write([_request(request_id, asked)])

    def _found(self, hand_id: str, record: bytes, sealed: bytes) -> Found:
        """The same for a caller: NOT_FOUND where the key of an old hand was taken out of the ring."""
        try:
            return self._opened(hand_id, record, sealed)
        except KeyMissing as fault:
            message = f"{fault}: add that key to the ring again to read this hand"
            raise DomainError(Reason.NOT_FOUND, message, {"kind": "sealing key", "id": key_id_of(sealed)}) from None

    def _opened(self, hand_id: str, record: bytes, sealed: bytes) -> Found:
        """The row as values; the seed must be the one that was committed to, the record as a dealer wrote it."""
        plain = stored.HandSecrets.FromString(self._vault.open(hand_id, sealed))
        secrets = from_proto(plain, HandSecrets)
        if plain.record_bound:  # hands of earlier releases are not
            check_bound(hand_id, secrets.seed, record)
        found = from_proto(stored.HandRecord.FromString(record), HandRecord)
        if seed_commitment(hand_id, secrets.seed) != found.seed_commitment:
            raise SealBroken(f"the seed of hand {hand_id} is not the one that was committed to")
        return Found(found, secrets)


def _serialised(record: HandRecord, secrets: HandSecrets) -> bytes:
    return bound(record.terms.hand_id, secrets.seed, to_proto(record, stored.HandRecord).SerializeToString())


def _state(record: HandRecord) -> str:
    if record.closed:
        return "closed"
    return "voided" if record.voided else "open"


def _request(request_id: str, asked: Asked) -> Statement:
    return Statement(_INSERT_REQUEST, (request_id, asked.hand_id, asked.step_number), rows=1, label="request")


def _bytes(value: SqlValue) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("a column of dealer_hands is no bytes")
    return value


def _text(value: SqlValue) -> str:
    if not isinstance(value, str):
        raise TypeError("a column of the dealer's tables is no text")
    return value


def _number(value: SqlValue) -> int:
    if not isinstance(value, int):
        raise TypeError("a column of the dealer's tables is no number")
    return value


_SELECT = (
    "SELECT hands.record, hands.sealed, requests.hand_id, requests.step_number,"
    " (SELECT MAX(earlier.hand_number) FROM dealer_hands earlier WHERE earlier.table_id = asked.table_id)"
    " FROM (SELECT CAST(? AS TEXT) AS hand_id, CAST(? AS TEXT) AS request_id, CAST(? AS TEXT) AS table_id) asked"
    " LEFT JOIN dealer_hands hands ON hands.hand_id = asked.hand_id"
    " LEFT JOIN dealer_requests requests ON requests.request_id = asked.request_id"
)
_ONE_OPEN_HAND_A_KEY = (
    "SELECT key_id, hand_id, sealed FROM dealer_hands WHERE hand_id IN"
    " (SELECT MIN(hand_id) FROM dealer_hands WHERE state = 'open' GROUP BY key_id)"
)
_INSERT = (
    "INSERT INTO dealer_hands"
    " (hand_id, table_id, hand_number, version, state, key_id, seed_commitment, record, sealed)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_REQUEST = "INSERT INTO dealer_requests (request_id, hand_id, step_number) VALUES (?, ?, ?)"
_UPDATE = "UPDATE dealer_hands SET version = ?, state = ?, record = ? WHERE hand_id = ? AND version = ?"
