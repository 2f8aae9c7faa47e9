"""Takes the place of the server while generated code registers handlers, and puts the pipeline around each of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import grpc

from shared.rpc.pipeline import Pipeline


class HandlerRegistrar:
    """What generated ``add_...Servicer_to_server`` functions need of a server."""

    def __init__(self, server: grpc.aio.Server, pipeline: Pipeline) -> None:
        """Register at this server, through this pipeline."""
        self._server = server
        self._pipeline = pipeline

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Register, wrapped."""
        self._server.add_generic_rpc_handlers(tuple(_Wrapped(handler, self._pipeline) for handler in handlers))

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        """The same handlers once more, by name: unwrapped, so left out; gRPC's asyncio server does not use them."""


class _Wrapped(grpc.GenericRpcHandler):
    """Finds the handler of a call and answers with the wrapped one."""

    def __init__(self, handler: grpc.GenericRpcHandler, pipeline: Pipeline) -> None:
        self._handler = handler
        self._pipeline = pipeline

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        found = self._handler.service(handler_call_details)
        return None if found is None else self._pipeline.wrap(handler_call_details.method, found)
