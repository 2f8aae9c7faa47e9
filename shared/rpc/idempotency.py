"""What a request is, in 32 bytes: equal for equal content, whatever client serialised it."""

import hashlib

from google.protobuf.message import Message


def digest_of(method: str, request: Message) -> bytes:
    """The digest of an RPC's name and its request, for shared.storage.requests; request_id itself is part of it."""
    content = request.SerializeToString(deterministic=True)
    return hashlib.sha256(method.encode() + b"\x00" + content).digest()
