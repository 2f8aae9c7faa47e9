"""Which domain functions a test calls, and which run while modules are loaded or tests are collected."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import CodeType, FrameType

from tests.batteries.mutants.catalogue import DOMAINS, ROOT

_PREFIXES = tuple(str(ROOT / domain) for domain in DOMAINS)


@contextmanager
def calls_seen(into: set[str]) -> Generator[None]:
    """Collect the top-level domain functions called meanwhile, as `module:function`."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        into |= {_name(code) for code in seen if code.co_filename.startswith(_PREFIXES)}


def _name(code: CodeType) -> str:
    module = code.co_filename.removeprefix(f"{ROOT}/")
    return f"{module}:{code.co_qualname.split('.')[0]}"
