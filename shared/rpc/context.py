"""The context of a call, by one name for every handler."""

from typing import Any

import grpc

Context = grpc.aio.ServicerContext[Any, Any]
