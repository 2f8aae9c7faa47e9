"""Everything here that code writes: a test compares it with what lies in the folder."""

from pathlib import Path

from deploy.monitoring import catalogue


def written() -> dict[Path, str]:
    """Every file, with what must be in it."""
    return {catalogue.PAGE: catalogue.page()}
