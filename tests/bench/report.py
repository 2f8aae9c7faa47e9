"""What a run says: a table on the terminal, results as JSON, and the comparison with what was kept."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.bench.measuring import Findings, Row

HEAD: Final = ("path", "ours", "floor", "ratio", "spread", "target", "")
TOLERANCE: Final = 0.25
"""A ratio may be a quarter worse than the one kept before it counts as a regression: machines differ and drift."""


def table_of(rows: Sequence[Row]) -> str:
    """Every path with its ratio and its target."""
    lines: list[tuple[str, ...]] = [HEAD]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append((section.upper(), *[""] * (len(HEAD) - 1)))
        lines.append(_line(row))
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _line(row: Row) -> tuple[str, ...]:
    ours = f"{median(row.ours):,.4g} {row.unit}"
    if row.ratio is None:
        return f"  {row.name}", ours, "", "", "", "", ""
    floor = f"{median(row.floor):,.4g} ({row.beside})"
    spread = f"{min(row.ratios):.3g} to {max(row.ratios):.3g}"
    target = "" if row.target is None else f"{'at most' if row.at_most else 'at least'} {row.target:.3g}"
    verdict = {True: "met", False: "NOT MET", None: ""}[row.met]
    return f"  {row.name}", ours, floor, f"{row.ratio:.3g}", spread, target, verdict


def results_of(findings: Findings, load: Sequence[float]) -> dict[str, Any]:
    """Everything of a run, and where it was made."""
    machine = {
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "grpcio": version("grpcio"),
        "protobuf": version("protobuf"),
        "load_before_and_after": list(load),
    }
    return {"machine": machine, "rows": [row.content() for row in findings.rows], "remarks": findings.remarks}


def kept_ratios(rows: Sequence[Row]) -> dict[str, dict[str, object]]:
    """What is kept of a run in the repository: ratios, never rates."""
    return {
        key_of(row): {"ratio": round(row.ratio, 4), "at_most": row.at_most} for row in rows if row.ratio is not None
    }


def key_of(row: Row) -> str:
    """The name of a row over runs."""
    return f"{row.section}: {row.name}"


def regressions(kept: Mapping[str, Mapping[str, Any]], rows: Sequence[Row]) -> list[str]:
    """Rows that are worse than what was kept by more than the tolerance, in words."""
    found: list[str] = []
    for row in rows:
        before = kept.get(key_of(row))
        if before is None or row.ratio is None:
            continue
        was = float(before["ratio"])
        worse = row.ratio > was * (1 + TOLERANCE) if row.at_most else row.ratio < was * (1 - TOLERANCE)
        if worse:
            found.append(f"{key_of(row)}: the ratio is {row.ratio:.3g}, it was {was:.3g}")
    return found


def write_results(findings: Findings, load: Sequence[float], folder: Path) -> Path:
    """build/bench/results.json."""
    path = folder / "results.json"
    path.write_text(json.dumps(results_of(findings, load), indent=1), encoding="utf-8")
    return path
