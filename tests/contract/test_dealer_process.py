"""The dealer as a process: killed in the middle of a hand, started again, started wrongly; what it never writes."""

import asyncio
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from sevenstud.common.v1.game_pb2 import STREET_THIRD
from sevenstud.dealer.stored.v1.hand_record_pb2 import HandSecrets
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer.adapters.vault import Vault
from services.dealer.domain.sealing_keys import parse_keys
from shared.kernel.cards import RANKS, SUITS
from shared.kernel.errors import Reason
from tests.fairness import verifier
from tests.fairness.records import as_json
from tests.support.dealer_calls import Table, a_script, fresh, refused
from tests.support.servers import ServiceProcess, calling, start_service

pytestmark = pytest.mark.process

OLD, NEW = "old:" + "a1" * 32, "new:" + "b2" * 32


def settings(folder: Path, **more: str) -> dict[str, str]:
    """A database in the folder of the test."""
    return {"DATABASE": str(folder / "dealer.sqlite"), "DRAIN_NOTICE_SECONDS": "0"} | more


@asynccontextmanager
async def started(folder: Path, values: Mapping[str, str]) -> AsyncGenerator[tuple[ServiceProcess, DealerServiceStub]]:
    """The process and a client; killed at the end if it still runs."""
    process = start_service("dealer", folder, values)
    try:
        async with calling(process.address) as channel:
            yield process, DealerServiceStub(channel)
    finally:
        if process.process.poll() is None:
            process.kill()


async def test_a_dealer_killed_after_every_step_deals_the_hand_on_with_the_same_cards(tmp_path: Path) -> None:
    """Eight to the river and a reshuffle, kill -9 after each step; every earlier answer is the same afterwards."""
    values = settings(tmp_path)
    async with started(tmp_path, values) as (process, stub):
        hand = await Table(stub).open(8)
        opened = hand.commitment
        process.kill()
    for live in (8, 8, 7, 7, 5):
        async with started(tmp_path, values) as (process, stub):
            hand.stub = stub
            assert (await stub.OpenHand(hand.opened)).commitment == opened
            for asked, answered in zip(hand.asked, hand.streets, strict=True):
                assert await stub.DealStreet(asked) == answered
                asked.request_id = fresh()
                assert await stub.DealStreet(asked) == answered
            await hand.deal(live)
            process.kill()
    assert hand.streets[-1].source == pb.CARD_SOURCE_RESHUFFLED_STUB_AND_BURNS
    async with started(tmp_path, values) as (process, stub):
        hand.stub = stub
        revealed = await hand.reveal(1, 2, 3, 4, 5)
        assert [list(each.cards) for each in revealed.hands] == [hand.cards(seat) for seat in range(1, 6)]
        await hand.close()
        verifier.verify(as_json(await hand.proof()), as_json(Table(stub).rules))
        assert process.stop() == 0


async def test_a_street_whose_answer_was_lost_in_a_crash_is_the_same_when_it_is_asked_for_again(tmp_path: Path) -> None:
    """Killed while the call is on its way: if the answer got out, it is what is answered afterwards."""
    values = settings(tmp_path)
    for attempt in range(4):
        async with started(tmp_path, values) as (process, stub):
            hand = await Table(stub, f"table-{attempt}").open(8)
            request = pb.DealStreetRequest(
                request_id=fresh(), hand_id=hand.hand_id, street=STREET_THIRD, live_seats=range(1, 9)
            )
            call = asyncio.ensure_future(hand.stub.DealStreet(request, timeout=0.5))
            await asyncio.sleep(0.001 * attempt)
            process.kill()
            (early,) = await asyncio.gather(call, return_exceptions=True)
        async with started(tmp_path, values) as (process, stub):
            dealt = await stub.DealStreet(request)
            assert isinstance(early, grpc.aio.AioRpcError) or early == dealt
            request.request_id = fresh()
            assert await stub.DealStreet(request) == dealt


async def test_keys_may_be_rotated_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    async with started(tmp_path, settings(tmp_path, KEYS=OLD)) as (process, stub):
        hand = await Table(stub).open(4)
        await hand.deal(4)
        assert process.stop() == 0
    async with started(tmp_path, settings(tmp_path, KEYS=f"{NEW},{OLD}")) as (process, stub):
        hand.stub = stub
        assert await stub.DealStreet(hand.asked[0]) == hand.streets[0]
        await hand.deal(4)
        assert process.stop() == 0


def failed_start(folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """A start that must not succeed."""
    environ = {f"SEVENSTUD_DEALER_{name}": value for name, value in settings(folder, **more).items()}
    listen = {"SEVENSTUD_DEALER_LISTEN": "127.0.0.1:0", "SEVENSTUD_DEALER_METRICS_LISTEN": "127.0.0.1:0"}
    command = [sys.executable, "-m", "services.dealer"]
    return subprocess.run(command, env=listen | environ, capture_output=True, text=True, timeout=20, check=False)


async def test_a_dealer_without_the_key_of_a_hand_in_play_refuses_to_start(tmp_path: Path) -> None:
    async with started(tmp_path, settings(tmp_path, KEYS=OLD)) as (process, stub):
        hand = await Table(stub).open(2)
        assert process.stop() == 0
    for keys in (NEW, "old:" + "c3" * 32):
        outcome = failed_start(tmp_path, KEYS=keys)
        assert outcome.returncode == 1
        assert "add this key to the key ring" in outcome.stderr
        assert "c3c3" not in outcome.stderr
    async with started(tmp_path, settings(tmp_path, KEYS=OLD)) as (process, stub):
        hand.stub = stub
        await hand.deal(2)
        await hand.close()
        assert process.stop() == 0
    async with started(tmp_path, settings(tmp_path, KEYS=NEW)) as (process, stub):
        hand.stub = stub
        unread = await refused(hand.proof())
        assert (unread.reason, unread.metadata["id"]) == (Reason.NOT_FOUND, "old")
        assert "add that key to the ring again" in unread.message
        await Table(stub, "another").open(2)
        assert process.stop() == 0


async def test_a_second_dealer_on_the_same_database_or_port_refuses_to_start(tmp_path: Path) -> None:
    async with started(tmp_path, settings(tmp_path)) as (process, _):
        assert failed_start(tmp_path).returncode == 1
        other = tmp_path / "other"
        other.mkdir()
        outcome = failed_start(other, LISTEN=process.address)
        assert outcome.returncode == 1
        assert "another LISTEN" in outcome.stderr


def test_faulty_settings_are_named_all_at_once(tmp_path: Path) -> None:
    outcome = failed_start(tmp_path, KEYS="a:12", SCRIPTED_DECKS="maybe", LISTN="x")
    assert outcome.returncode == 2
    for name in ("KEYS", "SCRIPTED_DECKS", "LISTN"):
        assert f"SEVENSTUD_DEALER_{name}" in outcome.stderr


def secrets_of(folder: Path, keys: str) -> list[HandSecrets]:
    """The secrets of every stored hand, opened with the keys."""
    connection = sqlite3.connect(folder / "dealer.sqlite")
    try:
        rows = connection.execute("SELECT hand_id, sealed FROM dealer_hands").fetchall()
    finally:
        connection.close()
    return [HandSecrets.FromString(Vault(parse_keys(keys)).open(hand_id, sealed)) for hand_id, sealed in rows]


async def test_a_dealer_that_is_broken_off_leaves_no_core_file_with_its_keys(tmp_path: Path) -> None:
    """Where files of that kind are switched on, as in many a container."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    try:
        async with started(tmp_path, settings(tmp_path, KEYS=OLD)) as (process, stub):
            await Table(stub).open(2)
            assert resource.prlimit(process.process.pid, resource.RLIMIT_CORE) == (0, hard)
            process.process.send_signal(signal.SIGABRT)
            assert process.process.wait(60) == -signal.SIGABRT
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


async def test_no_seed_key_card_or_salt_is_in_the_log_or_in_clear_in_the_database(tmp_path: Path) -> None:
    async with started(tmp_path, settings(tmp_path, KEYS=OLD, SCRIPTED_DECKS="allowed", LOG_LEVEL="debug")) as running:
        process, stub = running
        table, salts = Table(stub), list[bytes]()
        for script in (None, a_script(s1="As Kd 7h 2c 9s Jd 3h")):
            hand = await table.open(8, **({"script": script} if script else {}))
            await hand.deal_all(8, 8, 8, 2)
            await hand.reveal(1, 2)
            await hand.show(2)
            own = await stub.GetOpenings(pb.GetOpeningsRequest(hand_id=hand.hand_id, seat=1))
            salts += [opening.salt for opening in own.openings if opening.salt]
            await hand.close()
        assert process.stop() == 0
    log = process.log.read_bytes()
    database = (tmp_path / "dealer.sqlite").read_bytes()
    held = secrets_of(tmp_path, OLD)
    assert len(salts) == 7
    for secret in (*(each.seed for each in held), *salts, bytes.fromhex("a1" * 32)):
        for form in (secret, secret.hex().encode(), repr(secret)[2:-1].encode()):
            assert form not in log
            assert form not in database
    words = log.decode().replace('"', " ").replace("'", " ").replace(",", " ").split()
    assert not {rank + suit for rank in RANKS for suit in SUITS} & set(words)
    assert held[1].script.seats[0].SerializeToString() not in database
    assert b"CARD_" not in log
    assert log.count(b"scripted_hand_opened") == 1
    assert log.count(b"scripted_decks_allowed") == 1
