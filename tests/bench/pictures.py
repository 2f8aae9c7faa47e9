"""Pictures of a run as SVG, drawn by hand: how long calls take, and how cost grows."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from pathlib import Path
from typing import Final

from tests.bench.measuring import Findings, Row, percentile

WIDTH, HEIGHT, MARGIN = 720, 320, 56
COLOURS: Final = ("#1f6f8b", "#c8553d", "#588157", "#8a5a9e")
SHARES: Final = tuple(share / 200 for share in range(200))
Point = tuple[float, float]


def draw_all(findings: Findings, folder: Path) -> list[Path]:
    """Every picture of a run."""
    made = [
        _save(folder, f"latency of {name}", draw_lines(name, _distributions(lines), "share of calls", "ms"))
        for name, lines in findings.latencies.items()
    ]
    made += [
        _save(folder, f"growth of {name}", draw_lines(name, lines, "", name.rpartition(", ")[2]))
        for name, lines in findings.curves.items()
    ]
    return [*made, _save(folder, "ratios", _bars([row for row in findings.rows if row.ratio is not None]))]


def _distributions(lines: Mapping[str, Sequence[float]]) -> dict[str, list[Point]]:
    return {name: [(share, percentile(taken, share)) for share in SHARES] for name, taken in lines.items() if taken}


def _save(folder: Path, name: str, content: str) -> Path:
    path = folder / f"{name.replace(' ', '-').replace(',', '')}.svg"
    path.write_text(content, encoding="utf-8")
    return path


def draw_lines(title: str, lines: Mapping[str, Sequence[Point]], below: str, unit: str) -> str:
    """Lines over a linear axis, upwards by powers of ten."""
    points = [point for line in lines.values() for point in line]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = (log10(max(1e-6, edge(y for _, y in points))) for edge in (min, max))

    def place(point: Point) -> str:
        across = MARGIN + (point[0] - left) / ((right - left) or 1) * (WIDTH - 2 * MARGIN)
        up = (log10(max(1e-6, point[1])) - low) / ((high - low) or 1)
        return f"{across:.1f},{HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN):.1f}"

    parts = [_text(MARGIN, 24, title, 16), _text(MARGIN, HEIGHT - 16, below, 12)]
    parts += [_text(4, HEIGHT - MARGIN, f"{10**low:.3g} {unit}", 11), _text(4, MARGIN, f"{10**high:.3g} {unit}", 11)]
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(place(point) for point in line)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        parts.append(_text(WIDTH - 240, 24 + 16 * number, name, 12, colour))
    return _svg(HEIGHT, parts)


def _bars(rows: Sequence[Row]) -> str:
    """How near each ratio is to its target: 1 is just met, whichever way it counts."""
    height = 48 + 22 * len(rows)
    parts = [_text(12, 24, "ratio against target (the line); right of it is better", 14)]
    for number, row in enumerate(rows):
        top = 40 + 22 * number
        score = _score(row)
        colour = COLOURS[2] if row.met else COLOURS[1] if row.met is False else "#999999"
        parts.append(f'<rect x="360" y="{top}" width="{min(340.0, score * 120):.1f}" height="14" fill="{colour}"/>')
        parts.append(_text(12, top + 12, f"{row.section}: {row.name}"[:58], 11))
        parts.append(_text(366, top + 12, f"{row.ratio:.3g}", 11, "#ffffff"))
    parts.append(f'<line x1="480" y1="36" x2="480" y2="{height - 8}" stroke="#333333" stroke-dasharray="4 3"/>')
    return _svg(height, parts)


def _score(row: Row) -> float:
    if not row.ratio or row.target is None:
        return row.ratio or 0.0
    return row.target / row.ratio if row.at_most else row.ratio / row.target


def _text(x: float, y: float, words: str, size: int, colour: str = "#222222") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" font-family="sans-serif" fill="{colour}">{escape(words)}</text>'


def _svg(height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">'
    return "\n".join((head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>", ""))
