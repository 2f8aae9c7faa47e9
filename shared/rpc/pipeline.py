"""What happens to every call around its handler: identity, rights, validation, deadline, errors, log line, metrics.

It runs them all in this order, each idea in a module of its own. Health and reflection pass by. It wraps handlers when
they are registered: gRPC's own interceptors would make a coroutine more for each call.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import grpc
import structlog

from shared.kernel.caller import Caller
from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import get_log
from shared.observability.metrics import MethodMetrics, RpcMetrics
from shared.observability.tracing import current_tracer
from shared.rpc.backlog import Arrivals, Backlog
from shared.rpc.call import REQUEST_ID_HEADER, set_call
from shared.rpc.call_log import CallLog
from shared.rpc.caller_limits import MESSAGES_A_CALL, Admission, CallerLimits, Place, pays_for_work
from shared.rpc.context import Context
from shared.rpc.correlation import CorrelationIds
from shared.rpc.crowd import UNARY_CALLS_MAX, Crowd
from shared.rpc.errors import as_domain_error, code_of, refusal_of
from shared.rpc.identity import DevIdentities, Identities, Identity
from shared.rpc.info import telling_of_callers
from shared.rpc.malformed import reading, refuse_malformed
from shared.rpc.rights import Method
from shared.rpc.unread import UNREAD_SECONDS_MAX, CutOffError, Senders
from shared.rpc.validation import validator
from shared.rpc.work_time import WorkTime

UNARY_SECONDS_MAX = 10.0
"""The longest that a unary call may take, also where the caller sets no deadline."""
if TYPE_CHECKING:  # the class is generic in its types only
    Handler = grpc.RpcMethodHandler[Any, Any]
Unary = Callable[[Any, Context], Awaitable[Any]]
Stream = Callable[[Any, Context], AsyncIterator[Any]]


class Call:
    """One call on its way through."""

    __slots__ = (
        "caller",
        "code",
        "context",
        "correlation_id",
        "identity",
        "known",
        "method",
        "metrics",
        "reason",
        "started",
    )

    def __init__(self, method: Method, metrics: MethodMetrics, context: Context) -> None:
        """Start the clock."""
        self.method = method
        self.metrics = metrics
        self.context = context
        self.started = time.perf_counter()
        self.correlation_id = ""
        self.caller = ""
        self.identity: Caller | None = None
        self.code = "OK"
        self.reason = ""
        self.known: Identity | None = None

    @property
    def peer(self) -> str:
        """The machine that calls, where nobody says who it is."""
        return "" if self.identity is not None else self.context.peer()


class Pipeline:
    """What is around the handlers of one server."""

    def __init__(
        self,
        service: str,
        methods: Mapping[str, Method],
        metrics: RpcMetrics,
        unary_seconds_max: float = UNARY_SECONDS_MAX,
        identities: Identities | None = None,
        *,
        unread_seconds_max: float = UNREAD_SECONDS_MAX,
        limits: CallerLimits | None = None,
        unary_calls_max: int = UNARY_CALLS_MAX,
        arrivals: Arrivals | None = None,
        log_well_every: int = 1,
        streams_beside: Callable[[], int] | None = None,
    ) -> None:
        """Prepare the checks of every RPC; callers are taken at their word where nobody can say who they are.

        ``arrivals`` counts the calls that wait to be handled, ``streams_beside`` the streams of health and reflection.
        """
        self._service = service
        self._methods = methods
        self._metrics = {path: metrics.method(each.kind, each.service, each.name) for path, each in methods.items()}
        self._seconds = unary_seconds_max
        self._identities: Identities = identities or DevIdentities()
        self._validator = validator()
        self._admission = Admission(limits or CallerLimits(), streams_beside=streams_beside)
        self._crowd = Crowd(unary_calls_max)
        self._streams = 0
        self._backlog = Backlog(unary_calls_max, lambda: self._in_flight - self._streams, arrivals)
        self._senders = Senders(service, unread_seconds_max)
        self._handlers: dict[str, Handler] = {}
        self._log = get_log()
        self._call_log = CallLog(log_well_every)
        self._ids = CorrelationIds()
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        for method in methods.values():
            self._validator.prepare(method.descriptor.input_type)

    @property
    def in_flight(self) -> int:
        """Calls and streams that are being handled."""
        return self._in_flight

    def streams(self) -> int:
        """Streams of callers with a name now, those among them that were cut off and are not read yet."""
        return self._admission.streams_count

    def asked_without_name(self, peer: str, path: str) -> None:
        """A question on a stream that needs no name counts as a call; LIMIT_REACHED for one too many."""
        self._admission.admit(None, peer, path)

    async def idle(self) -> None:
        """Until no call is being handled."""
        await self._idle.wait()

    def wrap(self, path: str, handler: "Handler") -> "Handler":
        """The handler of one of our RPCs with everything around it, made once; other handlers stay as they are."""
        wrapped = self._handlers.get(path)
        if wrapped is None:
            method = self._methods.get(path)
            wrapped = self._handlers[path] = handler if method is None else self._wrap(method, handler)
        return wrapped

    def _wrap(self, method: Method, handler: "Handler") -> "Handler":
        codecs = {
            "request_deserializer": reading(handler.request_deserializer),
            "response_serializer": handler.response_serializer,
        }
        if method.kind == "unary":
            behaviour = cast("Unary", handler.unary_unary)
            if method.name == "GetServiceInfo":
                behaviour = telling_of_callers(behaviour, self._identities.kind)
            wrapped: Any = _in_traces(method, self._unary(method, behaviour))
            return grpc.unary_unary_rpc_method_handler(wrapped, **codecs)
        wrapped = _in_traces(method, self._stream(method, cast("Stream", handler.unary_stream)))
        return grpc.unary_stream_rpc_method_handler(wrapped, **codecs)

    # --- around a handler -------------------------------------------------------------------

    def _unary(self, method: Method, behaviour: Unary) -> Unary:
        async def handle(request: Any, context: Context) -> Any:
            call = self._begin(method, context)
            try:
                with self._crowd.one_more():
                    seconds = self._admit(call, request)
                    with self._admission.call(call.identity, call.peer):
                        response = await self._worked(call, seconds, behaviour(request, context))
                self._record(call)
            except BaseException as error:  # noqa: BLE001  # the last stop before the wire
                await self._refuse(call, error)
            else:
                return response
            finally:
                self._leave(method)

        return handle

    def _stream(self, method: Method, behaviour: Stream) -> Callable[[Any, Context], Awaitable[None]]:
        async def handle(request: Any, context: Context) -> None:
            call = self._begin(method, context)
            try:
                self._admit(call, request)
                known = self._identities.staying(call.known)
                place = self._admission.stream(call.identity, call.peer)
                with place, _kept_when_cut_off(place):
                    async with known, _closing(self._paid(call, behaviour(request, context))) as responses:
                        await self._senders.send(context, responses, call.metrics.sent)
                self._record(call)
            except BaseException as error:  # noqa: BLE001  # the last stop before the wire
                await self._refuse(call, error)
            finally:
                self._leave(method)

        return handle

    def _begin(self, method: Method, context: Context) -> Call:
        call = Call(method, self._metrics[method.path], context)
        call.metrics.started()
        self._in_flight += 1
        self._streams += method.kind != "unary"
        self._idle.clear()
        return call

    def _admit(self, call: Call, request: Any) -> float | None:
        """Everything that can refuse a call before its handler runs; returns the limit that we must set ourselves."""
        unary = call.method.kind == "unary"
        metadata = tuple(call.context.invocation_metadata() or ())
        call.correlation_id = self._ids.of(metadata)
        structlog.contextvars.bind_contextvars(correlation_id=call.correlation_id)
        call.context.set_trailing_metadata(((REQUEST_ID_HEADER, call.correlation_id),))
        left = _time_left(call.context)
        seconds = self._seconds if left is None else min(left, self._seconds)
        set_call(None, call.correlation_id, seconds if unary else left)
        identity = call.known = self._identities.identify(metadata, call.context)
        caller = call.identity = None if identity is None else identity.caller
        call.caller = "" if caller is None else f"{caller.role}:{caller.id}"
        self._admission.admit(caller, call.peer, call.method.path)
        if unary:
            self._backlog.check()
        if caller is not None or call.method.rule is None:
            refuse_malformed(request)
        call.method.authorize(caller, request, self._identities.how)
        self._validator.check(request, call.method.descriptor.input_type)
        set_call(caller, call.correlation_id, seconds if unary else left)
        return None if left is not None and left <= self._seconds else seconds

    def _paid(self, call: Call, responses: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """What a stream computes is paid for by its reader, if it is one person or nobody we know."""
        return self._paying(call, responses) if pays_for_work(call.identity) else responses

    async def _paying(self, call: Call, responses: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """The watch is held to one message in ten, which stands for those up to the next: it costs something itself."""
        async with _closing(responses):
            for number in count():
                timed = WorkTime(anext(responses)) if not number % MESSAGES_A_CALL else None
                try:
                    message = await (timed or anext(responses))
                except StopAsyncIteration:
                    return
                finally:
                    if timed is not None:
                        self._pay(call, number, timed.seconds)
                yield message

    def _pay(self, call: Call, number: int, seconds: float) -> None:
        if number:
            self._admission.told(call.identity, call.peer, seconds * MESSAGES_A_CALL)
        else:
            self._admission.worked(call.identity, call.peer, call.method.path, seconds)

    async def _worked(self, call: Call, seconds: float | None, work: Awaitable[Any]) -> Any:
        """What it computes is paid for by its caller, whatever comes of it."""
        if not pays_for_work(call.identity):
            return await self._within(seconds, work)
        timed = WorkTime(work)
        try:
            return await self._within(seconds, timed)
        finally:
            self._admission.worked(call.identity, call.peer, call.method.path, timed.seconds)

    async def _within(self, seconds: float | None, work: Awaitable[Any]) -> Any:
        """Bounded, whether the caller set a deadline or not; None where the caller's own ends it soon enough."""
        if seconds is None:
            return await work
        bound = asyncio.timeout(seconds)
        try:
            async with bound:
                return await work
        except TimeoutError as error:
            if not bound.expired():
                raise
            message = (
                f"not done within {seconds:.3f} seconds, the outcome is unknown: ask again with the same request id"
            )
            raise DomainError(Reason.DEADLINE_PASSED, message, {"seconds": f"{seconds:.3f}"}) from error

    async def _refuse(self, call: Call, error: BaseException) -> None:
        """End the call with a status; cancellation and an abort by the handler itself pass through."""
        if isinstance(error, asyncio.CancelledError | GeneratorExit | grpc.aio.AbortError):
            call.code = "CANCELLED" if not isinstance(error, grpc.aio.AbortError) else _code_name(call.context)
            self._record(call)
            raise error
        if isinstance(error, CutOffError):
            call.code, call.reason = code_of(error.refusal.reason).name, error.refusal.reason.name
            self._record(call)
            raise asyncio.CancelledError from error  # the transport is told nothing: the last word follows by itself
        call.correlation_id = call.correlation_id or self._ids.new()
        domain_error = as_domain_error(error, call.correlation_id)
        refusal = refusal_of(domain_error, self._service)
        call.code, call.reason = refusal.code.name, refusal.reason.name
        if domain_error is not error or domain_error.reason is Reason.INTERNAL:
            self._log.error("rpc_failed", method=call.method.path, exc_info=error)
        trailer = (*refusal.trailer, (REQUEST_ID_HEADER, call.correlation_id))
        self._record(call)  # who has the answer finds it counted
        try:
            await call.context.abort(refusal.code, refusal.message, trailing_metadata=trailer)
        except grpc.aio.AbortError as aborted:  # which gRPC keeps, and raises by itself once the handler is over
            _let_go(aborted)
        _let_go(error)

    def _record(self, call: Call) -> None:
        """Metrics and log line of a call that is over."""
        seconds = time.perf_counter() - call.started
        call.metrics.finished(call.code, seconds)
        method = call.method
        about = {"method": method.path, "reason": call.reason, "caller": call.caller}
        self._call_log.over(kind=method.kind, code=call.code, seconds=seconds, **about)

    def _leave(self, method: Method) -> None:
        self._in_flight -= 1
        self._streams -= method.kind != "unary"
        if not self._in_flight:
            self._idle.set()


def _let_go(error: BaseException | None) -> None:
    """Of the frames that it came through: they hold the call, which would be kept until the garbage is looked through.

    gRPC counts it among the streams of its connection for as long, and takes no more than so many of them.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def _in_traces(method: Method, handle: Unary) -> Unary:
    """As it is where traces are off."""
    tracer = current_tracer()
    if tracer is None:
        return handle
    from shared.rpc.traced import traced

    return traced(tracer, method.path, handle)


@asynccontextmanager
async def _closing(responses: AsyncIterator[Any]) -> AsyncGenerator[AsyncIterator[Any], None]:
    """End the handler's generator with the call, not when somebody collects it."""
    try:
        yield responses
    finally:
        if isinstance(responses, AsyncGenerator):
            await responses.aclose()


@contextmanager
def _kept_when_cut_off(place: Place) -> Generator[None, None, None]:
    """A stream that was cut off counts until its last word was read, or its connection ended."""
    try:
        yield
    except CutOffError as cut:
        if cut.last_word is not None:
            place.stays_until(cut.last_word)
        raise


def _time_left(context: Context) -> float | None:
    """What the stub of the type does not say: None without a deadline."""
    return context.time_remaining()


def _code_name(context: Context) -> str:
    return context.code().name
