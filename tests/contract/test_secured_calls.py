"""What a server with TLS believes, and what a channel of ours does when its certificate is replaced."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.console.adapters.authority import write_whole
from services.console.adapters.dev_pki import CONSOLE, Pki, make_pki
from services.console.adapters.token_signing import SignedHere, TokenSigner, key_set
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.channel import CallingChannel
from shared.rpc.client import open_channel, unpack_error
from shared.rpc.drain import Drain
from shared.rpc.info import CALLERS
from shared.rpc.link import Secured, SecuredLink
from shared.rpc.server import RunningServer
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.servers import server_settings, serving, tls_of

PLAYER = Caller(Role.PLAYER, "p1")
ORCHESTRATOR = Caller(Role.SERVICE, "orchestrator")
HAND = pb.EvaluateRequest(cards=[10, 20, 21, 22, 23])  # type: ignore[list-item]  # cards have the wire's numbers
EQUITY = pb.EstimateEquityRequest(hands=[pb.EquityHand(), pb.EquityHand()])
PATIENCE_SECONDS = 30.0


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    return make_pki(tmp_path)


@pytest.fixture
async def server(pki: Pki) -> AsyncIterator[RunningServer]:
    drain = Drain()
    tls = tls_of(pki, "evaluator")
    async with serving(assembly(EvaluatorDouble(drain)), server_settings(tls=tls), drain) as running:
        yield running


def as_player(server: RunningServer, pki: Pki) -> CallingChannel:
    tokens = SignedHere(TokenSigner.read(pki.signing_key), PLAYER)
    return open_channel(server.address, PLAYER, PATIENCE_SECONDS, Secured(paths=pki.caller(CONSOLE), tokens=tokens))


def as_service(server: RunningServer, pki: Pki, service: str = "orchestrator") -> CallingChannel:
    return open_channel(server.address, ORCHESTRATOR, PATIENCE_SECONDS, Secured(paths=pki.service(service)))


async def described(channel: CallingChannel) -> str:
    """Who the handler says that calls."""
    return (await EvaluatorServiceStub(channel).Evaluate(HAND)).value.description_en


async def reason(channel: CallingChannel) -> Reason | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await described(channel)
    return unpack_error(failed.value).reason


async def come_about(holds: Callable[[], Awaitable[bool]]) -> None:
    """Ask until it holds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await holds():  # noqa: ASYNC110  # another process's files and time
            await asyncio.sleep(0.05)


async def unbelieved(channel: CallingChannel) -> bool:
    """Whether a player's token is refused by now."""
    try:
        await described(channel)
    except grpc.aio.AioRpcError as refused:
        return unpack_error(refused).reason is Reason.CALLER_UNKNOWN
    return False


async def moved(link: SecuredLink, before: grpc.aio.Channel) -> bool:
    """Whether the link has another channel by now."""
    return link.channel is not before


async def closed(link: SecuredLink) -> bool:
    """Whether no former channel is left."""
    return not link._closing


async def test_a_token_says_which_player_calls_and_a_certificate_which_service(server: RunningServer, pki: Pki) -> None:
    async with as_player(server, pki) as player, as_service(server, pki) as service:
        assert await described(player) == "player p1"
        assert await described(service) == "service orchestrator"


async def test_the_service_says_how_it_knows_its_callers(server: RunningServer, pki: Pki) -> None:
    async with as_service(server, pki) as channel:
        for _ in range(2):
            info = (await EvaluatorServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest())).info
            assert [trait.value for trait in info.traits if trait.name == CALLERS] == [
                "proven by certificates and tokens"
            ]


async def test_a_service_that_asks_no_other_is_not_believed_to(server: RunningServer, pki: Pki) -> None:
    async with as_service(server, pki, "betting") as channel:
        assert await reason(channel) is Reason.NOT_PERMITTED


async def test_a_key_that_is_taken_out_takes_its_tokens_with_it(server: RunningServer, pki: Pki) -> None:
    async with as_player(server, pki) as channel:
        assert await described(channel) == "player p1"
        write_whole(pki.token_keys, b"half of a fi", 0o644)
        await asyncio.sleep(1.1)
        assert await described(channel) == "player p1", "a file that makes no sense is not taken up"
        write_whole(pki.token_keys, key_set([TokenSigner.fresh().public_key()]), 0o644)
        await come_about(lambda: unbelieved(channel))


async def test_a_new_key_is_believed_at_once(server: RunningServer, pki: Pki) -> None:
    make_pki(pki.folder, new_token_key=True)
    async with as_player(server, pki) as channel:
        assert await described(channel) == "player p1"


async def test_a_certificate_that_expires_on_an_open_connection_opens_nothing_more(
    server: RunningServer, pki: Pki, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with as_player(server, pki) as channel:
        assert await described(channel) == "player p1"
        later = SimpleNamespace(time=lambda: time.time() + 31 * 86_400, monotonic=time.monotonic)
        monkeypatch.setattr("shared.rpc.proven.time", later)
        with pytest.raises(grpc.aio.AioRpcError, match="certificate of the connection has expired") as refused:
            await described(channel)
        assert unpack_error(refused.value).reason is Reason.CALLER_UNKNOWN


async def test_a_replaced_certificate_leaves_streams_alone_and_its_channel_is_closed_after_them(
    server: RunningServer, pki: Pki
) -> None:
    async with as_service(server, pki) as channel:
        stub = EvaluatorServiceStub(channel)
        stream = stub.EstimateEquity(EQUITY)
        await anext(aiter(stream))
        link = channel._link
        assert isinstance(link, SecuredLink)
        before = link.channel
        make_pki(pki.folder)
        await come_about(lambda: moved(link, before))
        assert await described(channel) == "service orchestrator"
        assert not stream.done()
        assert link._closing, "the former channel waits for its stream"
        stream.cancel()
        await come_about(lambda: closed(link))


async def test_half_of_a_renewal_is_not_taken_up(server: RunningServer, pki: Pki) -> None:
    own = pki.caller(CONSOLE)
    async with as_player(server, pki) as channel:
        assert await described(channel) == "player p1"
        key = own.private_key.read_bytes()
        own.private_key.write_bytes(pki.service("betting").private_key.read_bytes())
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert await described(channel) == "player p1"
            await asyncio.sleep(0.1)
        own.private_key.write_bytes(key)


async def test_tokens_are_renewed_before_they_end(server: RunningServer, pki: Pki) -> None:
    made: list[float] = []
    signer = TokenSigner.read(pki.signing_key)

    class Short:
        """Tokens that live just longer than a channel of ours likes."""

        def __call__(self, thumbprint: str) -> object:
            made.append(time.time())
            return replace(signer.sign(PLAYER, thumbprint, 61))

    secured = Secured(paths=pki.caller(CONSOLE), tokens=Short())  # type: ignore[arg-type]  # says no more than it must
    async with open_channel(server.address, PLAYER, PATIENCE_SECONDS, secured) as channel:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert await described(channel) == "player p1"
            await asyncio.sleep(0.05)
    assert 1 < len(made) < 10
