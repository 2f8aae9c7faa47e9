"""Takes the place of the server while generated code registers handlers, and puts something around each of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import grpc


class Registrar:
    """What generated ``add_...Servicer_to_server`` functions need of a server."""

    def __init__(self, server: "grpc.aio.Server | Registrar", around: Callable[[str, Any], Any]) -> None:
        """Register at this server. ``around``: from the path of a call and its handler, the one that takes the call."""
        self._server = server
        self._around = around

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Register, each with something around it."""
        self._server.add_generic_rpc_handlers(tuple(_Wrapped(handler, self._around) for handler in handlers))

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        """The same handlers once more, by name: unwrapped, so left out; gRPC's asyncio server does not use them."""


class _Wrapped(grpc.GenericRpcHandler):
    """Finds the handler of a call and answers with the wrapped one."""

    def __init__(self, handler: grpc.GenericRpcHandler, around: Callable[[str, Any], Any]) -> None:
        self._handler = handler
        self._around = around

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        found = self._handler.service(handler_call_details)
        return None if found is None else self._around(handler_call_details.method, found)
