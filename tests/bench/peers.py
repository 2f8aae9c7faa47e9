"""Libraries that we are measured beside; `make bench` installs them from their own lock."""

from importlib import import_module
from typing import Any

from tests.bench.measuring import Findings


def peer(name: str, findings: Findings) -> Any:
    """The library, or None; a remark says that its rows are left out."""
    try:
        return import_module(name)
    except ImportError:
        remark = f"the peer {name} is not installed, its rows are left out"
        if remark not in findings.remarks:
            findings.remarks.append(remark)
        return None
