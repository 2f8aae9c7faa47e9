"""Asking a Prometheus over its HTTP API."""

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, cast

Json = dict[str, Any]
_SECONDS = 30


class PrometheusAway(Exception):  # noqa: N818  # read as a sentence
    """It did not start, or the evening did not: the text is what was logged."""


@dataclass(frozen=True, slots=True)
class Prometheus:
    """One server, asked about one moment."""

    address: str
    at: float | None
    """Seconds since 1970; None: now."""

    def ready(self) -> bool:
        """Whether it takes questions."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=_SECONDS) as answer:  # ours
                return bool(answer.status == 200)
        except OSError:
            return False

    def query(self, expression: str) -> list[Json]:
        """The series that an expression gives; ValueError with Prometheus's own words where it is refused."""
        moment = {} if self.at is None else {"time": str(self.at)}
        return cast("list[Json]", self._get("query", query=expression, **moment)["result"])

    def rules(self) -> list[Json]:
        """Every rule that it holds, with its health."""
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]

    def labels(self, match: str) -> dict[str, set[str]]:
        """All labels of the series that match, each with its values."""
        found: dict[str, set[str]] = {}
        for series in cast("list[dict[str, str]]", self._get("series", **{"match[]": match})):
            for label, value in series.items():
                found.setdefault(label, set()).add(value)
        return found

    def _get(self, what: str, **parameters: str) -> Any:
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/{what}?{query}", timeout=_SECONDS) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            raise ValueError(json.load(refused).get("error", refused.reason)) from None
