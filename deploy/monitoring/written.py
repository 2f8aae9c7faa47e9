"""Everything here that code writes: a test compares it with what lies in the folder."""

from pathlib import Path

from deploy.monitoring import catalogue
from deploy.monitoring.alerts import GROUPS
from deploy.monitoring.boards import BOARDS
from deploy.monitoring.panels import board_json
from deploy.monitoring.rules import rule_file, test_file

HERE = Path(__file__).parent
RULES = HERE / "prometheus" / "alerts.yaml"
TESTS = HERE / "prometheus" / "alerts_test.yaml"
DASHBOARDS = HERE / "grafana" / "dashboards"
OPERATOR = HERE.parent / "kubernetes" / "overlays" / "production" / "alerts.yaml"
_WRITTEN = "# Written by `make monitoring` from deploy/monitoring; changes belong there.\n"
_OPERATOR_HEAD = """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sevenstud
spec:
"""


def written() -> dict[Path, str]:
    """Every file, with what must be in it."""
    boards = {DASHBOARDS / f"{board.uid}.json": board_json(board) for board in BOARDS}
    return boards | {
        catalogue.PAGE: catalogue.page(),
        RULES: _WRITTEN + rule_file(GROUPS),
        TESTS: _WRITTEN + test_file(GROUPS, RULES.name),
        OPERATOR: _WRITTEN + _OPERATOR_HEAD + rule_file(GROUPS, indent=2),
    }
