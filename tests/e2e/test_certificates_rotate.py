"""Certificates, authorities and token keys are replaced while calls go on, and nobody notices."""

import asyncio
import socket
import ssl
import sys
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.console.adapters.authority import Authority, Subject, write_whole
from services.console.adapters.dev_pki import CONSOLE, Pki, make_pki
from services.console.adapters.suite import Suite
from services.console.adapters.token_signing import SignedHere, TokenSigner
from services.console.domain.suite_plan import LEDGER, ORCHESTRATOR, SERVICES
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.certificates import CertificatePaths
from shared.rpc.channel import CallingChannel
from shared.rpc.client import open_channel, unpack_error
from shared.rpc.link import LOOK_SECONDS, Secured
from shared.rpc.peer import service_host, service_uri
from tests.support.tables_opened import open_table_request

pytestmark = pytest.mark.process
OPERATOR = Caller(Role.OPERATOR, "house")
OBSERVER = Caller(Role.OBSERVER, "eye")
DOMAIN = "sevenstud.internal"
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.01


@asynccontextmanager
async def calling(suite: Suite, pki: Pki, caller: Caller) -> AsyncGenerator[CallingChannel, None]:
    """A channel of ours to the orchestrator, which renews certificate and token by itself."""
    tokens = SignedHere(TokenSigner.read(pki.signing_key), caller)
    secured = Secured(paths=pki.caller(CONSOLE), tokens=tokens)
    channel = open_channel(suite.address(ORCHESTRATOR), caller, PATIENCE_SECONDS, secured)
    try:
        yield channel
    finally:
        await channel.close()


@dataclass
class Load:
    """Calls without a pause, a stream, and new connections all the time."""

    suite: Suite
    pki: Pki
    codes: Counter[str] = field(default_factory=Counter[str])
    streams_ended: int = 0
    streams_told: Counter[Reason | None] = field(default_factory=Counter[Reason | None])
    changes_seen: int = 0
    over: bool = False

    async def run(self) -> None:
        """Until it is over."""
        async with AsyncExitStack() as stack:
            house = await stack.enter_async_context(calling(self.suite, self.pki, OPERATOR))
            eye = await stack.enter_async_context(calling(self.suite, self.pki, OBSERVER))
            watching = asyncio.create_task(self._watch(TableServiceStub(eye)))
            stub = TableServiceStub(house)
            await asyncio.gather(self._read(stub), self._open(stub), self._connect())
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _read(self, stub: TableServiceStub) -> None:
        while not self.over:
            await self._count("read", stub.ListTables(pb.ListTablesRequest()))
            await asyncio.sleep(PAUSE_SECONDS)

    async def _open(self, stub: TableServiceStub) -> None:
        """Opening a table makes the orchestrator ask the ledger."""
        while not self.over:
            request = open_table_request(f"t{uuid.uuid4().hex}")
            await self._count("opened", stub.OpenTable(request))
            await asyncio.sleep(0.1)

    async def _connect(self) -> None:
        while not self.over:
            async with calling(self.suite, self.pki, OPERATOR) as channel:
                await self._count("connected", TableServiceStub(channel).ListTables(pb.ListTablesRequest()))
            await asyncio.sleep(0.1)

    async def _watch(self, stub: TableServiceStub) -> None:
        """Who is told that its authority is trusted no more comes again, with the new certificate."""
        try:
            async for _ in stub.WatchLobby(pb.WatchLobbyRequest()):
                self.changes_seen += 1
            self.streams_ended += 1
        except grpc.aio.AioRpcError as ended:
            self.streams_told[unpack_error(ended).reason] += 1
            await self._watch(stub)

    async def _count(self, what: str, call: Awaitable[object]) -> None:
        try:
            await call
        except grpc.aio.AioRpcError as failed:
            self.codes[f"{what}: {failed.code().name} {failed.details()}"] += 1
        else:
            self.codes[what] += 1

    def failures(self) -> dict[str, int]:
        """Calls that did not end well."""
        return {what: count for what, count in self.codes.items() if what not in {"read", "opened", "connected"}}


def shown_by(suite: Suite, service: str, pki: Pki) -> bytes:
    """The certificate that a service shows to a new connection, in DER."""
    own = pki.caller(CONSOLE)
    context = ssl.create_default_context(cafile=str(own.authorities))
    context.load_cert_chain(own.certificate, own.private_key)
    context.set_alpn_protocols(["h2"])
    host, _, port = suite.address(service).rpartition(":")
    plain = socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)
    with plain, context.wrap_socket(plain, server_hostname=service_host(DOMAIN, service)) as secure:
        return secure.getpeercert(binary_form=True) or b""


async def all_show_new_ones(suite: Suite, pki: Pki) -> None:
    """Every service shows the certificate that is in its file."""
    for service in SERVICES:
        held = ssl.PEM_cert_to_DER_cert(pki.service(service).certificate.read_text())
        assert await asyncio.to_thread(shown_by, suite, service, pki) == held


async def rotated(suite: Suite, load: Load, times: int) -> None:
    """Every pair of services and callers renewed so often, and a while of calls after each."""
    pki = load.pki
    for number in range(times):
        before = load.codes["read"], load.codes["opened"], load.codes["connected"]
        make_pki(pki.folder, new_token_key=number == 0)
        await all_show_new_ones(suite, pki)
        await more_calls(load, before)


async def more_calls(load: Load, before: tuple[int, int, int]) -> None:
    """Some of each kind, over more than the time in which files are looked at."""
    await asyncio.sleep(2 * LOOK_SECONDS)
    async with asyncio.timeout(PATIENCE_SECONDS):
        kinds = ("read", "opened", "connected")
        while any(load.codes[kind] < count + 3 for kind, count in zip(kinds, before, strict=True)):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_SECONDS)


async def new_authority(suite: Suite, load: Load) -> None:
    """The authority itself is replaced: both trusted for a while, then the new one alone."""
    pki, old = load.pki, load.pki.authority.read_bytes()
    fresh = Authority.fresh("sevenstud development 2")
    before = load.codes["read"], load.codes["opened"], load.codes["connected"]
    write_whole(pki.authority, fresh.certificate + old, 0o644)
    await more_calls(load, before)
    for service in SERVICES:
        subject = Subject(
            name=service,
            uri=service_uri(DOMAIN, service),
            hosts=(service_host(DOMAIN, service), "localhost"),
            addresses=("127.0.0.1",),
            serves=True,
            lasts=timedelta(days=1),
        )
        pair = pki.service(service)
        fresh.issue(subject).write(pair.certificate, pair.private_key)
    own = pki.caller(CONSOLE)
    fresh.issue(Subject(name=CONSOLE)).write(own.certificate, own.private_key)
    await all_show_new_ones(suite, pki)
    await more_calls(load, (load.codes["read"], load.codes["opened"], load.codes["connected"]))
    write_whole(pki.authority, fresh.certificate, 0o644)
    await more_calls(load, (load.codes["read"], load.codes["opened"], load.codes["connected"]))


async def rotation(folder: Path, times: int) -> Load:
    """A suite under load whose certificates, keys and authority are replaced; then the ledger starts again."""
    async with Suite(folder, {}, tls=True) as suite:
        assert suite.pki is not None
        load = Load(suite, suite.pki)
        running = asyncio.create_task(load.run())
        await more_calls(load, (0, 0, 0))
        await rotated(suite, load, times)
        await new_authority(suite, load)
        load.over = True
        await running
        await suite.stop(LEDGER)
        await suite.start(LEDGER)  # which trusts the new authority alone: so the orchestrator's new certificate counts
        async with calling(suite, suite.pki, OPERATOR) as channel:
            await TableServiceStub(channel).OpenTable(open_table_request("after"))
    return load


async def test_certificates_keys_and_authority_are_replaced_under_load_without_a_failed_call(tmp_path: Path) -> None:
    load = await rotation(tmp_path, times=1)
    assert load.failures() == {}
    assert load.streams_ended == 0
    assert load.streams_told == {Reason.CALLER_UNKNOWN: 1}, "once, when its former authority was taken out"
    assert load.changes_seen >= load.codes["opened"]


@pytest.mark.attack
async def test_certificates_are_replaced_twenty_times_under_load_without_a_failed_call(tmp_path: Path) -> None:
    load = await rotation(tmp_path, times=20)
    assert load.failures() == {}
    assert load.streams_ended == 0
    assert load.streams_told == {Reason.CALLER_UNKNOWN: 1}, "once, when its former authority was taken out"
    print(f"\nfigure: 20 rotations and a new authority: {sum(load.codes.values())} calls, 0 failed: {dict(load.codes)}")


async def test_our_services_call_no_service_that_cannot_prove_its_name(tmp_path: Path) -> None:
    """Not another service of ours, not a caller of ours, not somebody of another authority."""
    make_pki(tmp_path / "pki")
    pki = Pki(tmp_path / "pki")
    authority = Authority.read(pki.authority, tmp_path / "pki/ca.key")
    foreign = Authority.fresh("sevenstud development")
    named = Subject(name="dealer", hosts=(service_host(DOMAIN, "dealer"),), addresses=("127.0.0.1",), serves=True)
    client_only = Subject(name="dealer", hosts=named.hosts, addresses=named.addresses)
    pairs = {
        "the dealer": pki.service("dealer"),
        "betting": pki.service("betting"),
        "a caller": pki.caller(CONSOLE),
        "a client's certificate": kept(authority, client_only, tmp_path / "client"),
        "another authority": kept(foreign, named, tmp_path / "foreign"),
    }
    answered = {who: await reached(pair, pki) for who, pair in pairs.items()}
    assert answered == {who: who == "the dealer" for who in pairs}


def kept(authority: Authority, subject: Subject, folder: Path) -> CertificatePaths:
    """A pair in files."""
    pair = CertificatePaths(certificate=folder / "a.pem", private_key=folder / "a.key", authorities=folder / "none.pem")
    authority.issue(subject).write(pair.certificate, pair.private_key)
    return pair


async def reached(pair: CertificatePaths, pki: Pki) -> bool:
    """Whether the orchestrator's channel to the dealer shakes hands with who shows this pair."""
    server = grpc.aio.server()
    keys = [(pair.private_key.read_bytes(), pair.certificate.read_bytes())]
    credentials = grpc.ssl_server_credentials(keys, pki.authority.read_bytes(), require_client_auth=True)
    port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    secured = Secured(paths=pki.service(ORCHESTRATOR), expect=service_host(DOMAIN, "dealer"))
    channel = open_channel(f"127.0.0.1:{port}", Caller(Role.SERVICE, ORCHESTRATOR), 20.0, secured)
    try:
        await channel.unary_unary("/sevenstud.dealer.v1.DealerService/GetProof")(b"")
    except grpc.aio.AioRpcError as failed:
        return failed.code() is grpc.StatusCode.UNIMPLEMENTED  # it was asked, and has no handler
    finally:
        await channel.close()
        await server.stop(0)
    return True


@pytest.mark.attack
async def test_a_whole_demo_is_played_while_every_certificate_is_replaced_each_second(tmp_path: Path) -> None:
    """Dealer, betting, evaluator, ledger, orchestrator, console and robots renew theirs while the robots play."""
    folder = tmp_path / "demo"
    options = ("--tls", "--plain", "--delay", "0.1", "--data", str(folder))
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "services.console", "demo", *options)
    demo = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    ending = asyncio.create_task(demo.communicate())
    replaced = 0
    while not ending.done():
        if (folder / "run/robots.json").exists():
            await asyncio.to_thread(make_pki, folder / "pki")
            replaced += 1
        await asyncio.wait({ending}, timeout=1.0)
    output, errors = (each.decode() for each in await ending)
    assert demo.returncode == 0, errors
    assert "0 refused by the rules, 0 too late, 0 asked again" in output
    assert replaced > 5
    print(f"\nfigure: {replaced} times every certificate replaced; {output[output.index('played ') :].splitlines()[0]}")
