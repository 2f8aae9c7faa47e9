"""The page of metrics says what the code registers, and no label says who or where."""

import re

import pytest

from deploy.monitoring import catalogue
from deploy.monitoring.written import written

NAMING = re.compile(r"(^|_)(id|table|hand|player|seat|tournament|account|book|wallet|request|turn)(_|$)")
CONVENTION = {"grpc_type", "grpc_service", "grpc_method", "grpc_code"}
ALL = [each for described in catalogue.groups().values() for each in described]


def test_what_code_writes_lies_in_the_folder_as_it_is() -> None:
    stale = [path.name for path, text in written().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run make monitoring"


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_every_label_is_one_that_is_explained(metric: catalogue.Described) -> None:
    assert set(metric.labels) <= set(catalogue.LABELS)


def test_no_label_could_hold_a_table_a_hand_or_a_player() -> None:
    assert not [label for label in catalogue.LABELS if NAMING.search(label) and label not in CONVENTION]


def test_every_label_that_is_explained_is_used() -> None:
    assert {label for each in ALL for label in each.labels} == set(catalogue.LABELS)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_every_name_is_ours_or_the_convention_of_grpc(metric: catalogue.Described) -> None:
    assert re.fullmatch(r"(sevenstud|grpc_server)_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert metric.meaning.endswith(".")


def test_no_metric_is_registered_twice() -> None:
    names = [each.name for each in ALL]
    assert len(names) == len(set(names))
