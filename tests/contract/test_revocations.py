"""Who is revoked gets nothing more, on old connections and new ones, without a restart; everybody else goes on."""

import asyncio
import base64
import json
import os
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.console.adapters.authority import write_whole
from services.console.adapters.dev_pki import CONSOLE, Pki, make_pki
from services.console.adapters.token_signing import TokenSigner, key_set
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.certificates import CertificatePaths
from shared.rpc.channel import CallingChannel
from shared.rpc.client import open_channel, unpack_error
from shared.rpc.drain import Drain
from shared.rpc.link import Secured, Token
from shared.rpc.rights import anybody
from shared.rpc.server import RunningServer
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.servers import server_settings, serving, tls_of

ANN, BOB, ORCHESTRATOR = Caller(Role.PLAYER, "ann"), Caller(Role.PLAYER, "bob"), Caller(Role.SERVICE, "orchestrator")
HAND = pb.EvaluateRequest(cards=[10, 20, 21, 22, 23])  # type: ignore[list-item]  # cards have the wire's numbers
EQUITY = pb.EstimateEquityRequest(hands=[pb.EquityHand(), pb.EquityHand()])
PATIENCE_SECONDS = 30.0
CALLS_AFTERWARDS = 200


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    return make_pki(tmp_path)


@pytest.fixture
def revoked(tmp_path: Path) -> Path:
    path = tmp_path / "revoked.json"
    path.write_text("{}")
    return path


@pytest.fixture
def trusted(pki: Pki, tmp_path: Path) -> Path:
    """The authorities that the server takes callers from; what callers trust is another file."""
    path = tmp_path / "trusted.pem"
    path.write_bytes(pki.authority.read_bytes())
    return path


@pytest.fixture
async def server(pki: Pki, revoked: Path, trusted: Path) -> AsyncIterator[RunningServer]:
    drain = Drain()
    tls = replace(tls_of(pki, "evaluator", revoked), client_ca=trusted)
    double = assembly(EvaluatorDouble(drain))
    double = replace(double, rights={**double.rights, "EstimateEquity": anybody(Role.PLAYER)})
    async with serving(double, server_settings(tls=tls), drain) as running:
        yield running


def calling_with(server: RunningServer, pki: Pki, caller: Caller, token: Token | None = None) -> CallingChannel:
    """With a token of its own, always the same one, or as our orchestrator with none."""
    if caller is ORCHESTRATOR:
        return open_channel(server.address, caller, PATIENCE_SECONDS, Secured(paths=pki.service(caller.id)))
    paths = pki.caller(CONSOLE)

    def same(thumbprint: str) -> Token:
        nonlocal token
        token = token or TokenSigner.read(pki.signing_key).sign(caller, thumbprint)
        return token

    return open_channel(server.address, caller, PATIENCE_SECONDS, Secured(paths=paths, tokens=same))


async def asked(channel: CallingChannel) -> Reason | None:
    """None where the call is answered."""
    try:
        await EvaluatorServiceStub(channel).Evaluate(HAND)
    except grpc.aio.AioRpcError as refused:
        return unpack_error(refused).reason
    return None


async def shut_out(channel: CallingChannel) -> None:
    """Refused as soon as the file is looked at, and from then on always."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await asked(channel) is not Reason.CALLER_UNKNOWN:  # noqa: ASYNC110  # another one's file and time
            await asyncio.sleep(0.05)
    answers = await asyncio.gather(*(asked(channel) for _ in range(CALLS_AFTERWARDS)))
    assert set(answers) == {Reason.CALLER_UNKNOWN}


def claims_of(channel: CallingChannel) -> dict[str, object]:
    """What the token of a channel says."""
    ((_, authorization),) = channel._link.authorization
    part = str(authorization).split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))  # type: ignore[no-any-return]


def revoke(path: Path, **parts: object) -> None:
    write_whole(path, json.dumps(parts).encode(), 0o600)


def leaf(paths: CertificatePaths) -> x509.Certificate:
    return x509.load_pem_x509_certificates(paths.certificate.read_bytes())[0]


async def test_one_token_is_revoked_by_its_id_and_the_same_caller_goes_on_with_another(
    server: RunningServer, pki: Pki, revoked: Path
) -> None:
    async with calling_with(server, pki, ANN) as lost, calling_with(server, pki, ANN) as kept:
        assert [await asked(lost), await asked(kept)] == [None, None]
        revoke(revoked, tokens=[claims_of(lost)["jti"]])
        await shut_out(lost)
        assert await asked(kept) is None


async def test_all_tokens_of_a_caller_up_to_a_moment_are_revoked_and_a_new_one_is_believed(
    server: RunningServer, pki: Pki, revoked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with calling_with(server, pki, ANN) as ann, calling_with(server, pki, BOB) as bob:
        assert [await asked(ann), await asked(bob)] == [None, None]
        moment = int(time.time()) + 2
        revoke(revoked, issued_before={"player:ann": moment})
        await shut_out(ann)
        assert await asked(bob) is None
        monkeypatch.setattr("services.console.adapters.token_signing.time", SimpleNamespace(time=lambda: moment))
        async with calling_with(server, pki, ANN) as again:
            assert await asked(again) is None


@pytest.mark.parametrize(
    "named",
    [
        lambda leaf: f"sha256:{leaf.fingerprint(SHA256()).hex()}",
        lambda leaf: f"SHA256:{leaf.fingerprint(SHA256()).hex(':').upper()}",
        lambda leaf: f"serial:{leaf.serial_number:x}",
    ],
    ids=["fingerprint", "as openssl prints it", "serial"],
)
async def test_a_certificate_is_revoked_on_connections_that_are_open_and_on_new_ones(
    server: RunningServer, pki: Pki, revoked: Path, named: Callable[[x509.Certificate], str]
) -> None:
    async with calling_with(server, pki, ANN) as ann, calling_with(server, pki, ORCHESTRATOR) as service:
        assert [await asked(ann), await asked(service)] == [None, None]
        revoke(revoked, certificates=[named(leaf(pki.caller(CONSOLE)))])
        await shut_out(ann)
        async with calling_with(server, pki, BOB) as bob:
            await shut_out(bob)
        assert await asked(service) is None
        revoke(revoked, certificates=[named(leaf(pki.service("orchestrator")))])
        await shut_out(service)


async def test_an_open_stream_of_the_revoked_ends_and_those_of_others_do_not(
    server: RunningServer, pki: Pki, revoked: Path
) -> None:
    async with calling_with(server, pki, ANN) as ann, calling_with(server, pki, BOB) as bob:
        lost, kept = (EvaluatorServiceStub(channel).EstimateEquity(EQUITY) for channel in (ann, bob))
        for stream in (lost, kept):
            await anext(aiter(stream))
        revoke(revoked, tokens=[claims_of(ann)["jti"]])
        with pytest.raises(grpc.aio.AioRpcError, match="the token is revoked, while the stream was open") as ended:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await anext(aiter(lost))
        assert unpack_error(ended.value).reason is Reason.CALLER_UNKNOWN
        assert not kept.done()
        kept.cancel()


async def told(stream: AsyncIterable[pb.EstimateEquityResponse]) -> Reason | None:
    """With which reason an open stream ends."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for _ in stream:
                pass
    except grpc.aio.AioRpcError as ended:
        return unpack_error(ended).reason
    return None


async def test_a_key_that_is_taken_out_ends_the_open_streams_of_its_tokens_and_no_others(
    server: RunningServer, pki: Pki
) -> None:
    async with calling_with(server, pki, ANN) as ann:
        lost = EvaluatorServiceStub(ann).EstimateEquity(EQUITY)
        await anext(aiter(lost))
        pki = make_pki(pki.folder, new_token_key=True)
        async with calling_with(server, pki, BOB) as bob, calling_with(server, pki, ORCHESTRATOR) as service:
            kept = EvaluatorServiceStub(bob).EstimateEquity(EQUITY)
            await anext(aiter(kept))
            write_whole(pki.token_keys, key_set([TokenSigner.read(pki.signing_key).public_key()]), 0o644)
            assert await told(lost) is Reason.CALLER_UNKNOWN
            assert [await asked(bob), await asked(service), kept.done()] == [None, None, False]
            kept.cancel()


async def test_an_authority_that_is_taken_out_takes_the_connections_and_streams_that_are_open(
    server: RunningServer, pki: Pki, trusted: Path, tmp_path: Path
) -> None:
    former, other = (each.authority.read_bytes() for each in (pki, make_pki(tmp_path / "other")))
    async with calling_with(server, pki, ANN) as ann, calling_with(server, pki, ORCHESTRATOR) as service:
        lost = EvaluatorServiceStub(ann).EstimateEquity(EQUITY)
        await anext(aiter(lost))
        write_whole(trusted, former + other, 0o644)
        await asyncio.sleep(1.1)
        assert [await asked(ann), await asked(service), lost.done()] == [None, None, False], "both are trusted"
        write_whole(trusted, other, 0o644)
        await shut_out(ann)
        await shut_out(service)
        assert await told(lost) is Reason.CALLER_UNKNOWN


async def test_a_list_that_makes_no_sense_changes_nothing(server: RunningServer, pki: Pki, revoked: Path) -> None:
    async with calling_with(server, pki, ANN) as ann, calling_with(server, pki, BOB) as bob:
        revoke(revoked, issued_before={"player:ann": int(time.time()) + 60})
        await shut_out(ann)
        for content in (b"half of a fi", b'{"token": []}', None):
            if content is None:
                os.unlink(revoked)  # noqa: PTH108  # a moment
            else:
                write_whole(revoked, content, 0o600)
            await asyncio.sleep(1.1)
            assert [await asked(ann), await asked(bob)] == [Reason.CALLER_UNKNOWN, None]
