"""The dashboards: the suite on one page, one a service, tournaments, the ledger."""

from deploy.monitoring.boards_of_game import DEALER_ROWS, EVALUATOR_ROWS, LEDGER_ROWS, PLAY_ROWS, TOURNAMENT_ROWS
from deploy.monitoring.panels import BYTES, COUNT, PER_SECOND, RATE, SECONDS, SHARE, Board, Row, panel, quantiles

_STORING = ("dealer", "orchestrator", "tournament-ledger")
_FAULTS = 'grpc_code=~"INTERNAL|UNKNOWN|DATA_LOSS|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED"'

_FAILED = f"""
(sum by (job) (rate(grpc_server_handled_total{{{_FAULTS}}}[{RATE}]))
  or 0 * sum by (job) (rate(grpc_server_handled_total[{RATE}])))
  / sum by (job) (rate(grpc_server_handled_total[{RATE}]))
""".strip()


def calls(job: str) -> Row:
    """Rate, errors, duration of one service's calls."""
    only = f'job="{job}"'
    return Row(
        "Calls",
        (
            panel(
                "Calls a second",
                PER_SECOND,
                (f"sum by (grpc_method) (rate(grpc_server_started_total{{{only}}}[{RATE}]))", "{{grpc_method}}"),
            ),
            panel(
                "Calls by status",
                PER_SECOND,
                (f"sum by (grpc_code) (rate(grpc_server_handled_total{{{only}}}[{RATE}]))", "{{grpc_code}}"),
            ),
            panel(
                "Seconds a call",
                SECONDS,
                *quantiles(f'grpc_server_handling_seconds_bucket{{{only},grpc_type="unary"}}', "grpc_method"),
            ),
            panel(
                "In flight",
                COUNT,
                (f"sum by (grpc_type) (sevenstud_rpc_in_flight{{{only}}})", "{{grpc_type}}"),
                meaning="Unary calls being handled, and streams that are open.",
            ),
        ),
    )


def process(job: str) -> Row:
    """What the process takes."""
    only = f'job="{job}"'
    return Row(
        "Process",
        (
            panel("Processor", COUNT, (f"rate(process_cpu_seconds_total{{{only}}}[{RATE}])", "{{instance}}")),
            panel("Memory", BYTES, (f"process_resident_memory_bytes{{{only}}}", "{{instance}}")),
            panel("Event loop late", SECONDS, *quantiles(f"sevenstud_event_loop_lateness_seconds_bucket{{{only}}}")),
            panel("Open files", COUNT, (f"process_open_fds{{{only}}}", "{{instance}}")),
        ),
    )


def store(job: str) -> Row:
    """What the store of a service does."""
    only = f'job="{job}"'
    return Row(
        "Store",
        (
            panel(
                "Writes a second",
                PER_SECOND,
                (f"sum by (outcome) (rate(sevenstud_store_writes_total{{{only}}}[{RATE}]))", "{{outcome}}"),
            ),
            panel("Seconds a write", SECONDS, *quantiles(f"sevenstud_store_write_seconds_bucket{{{only}}}")),
            panel("Seconds a read", SECONDS, *quantiles(f"sevenstud_store_read_seconds_bucket{{{only}}}")),
            panel(
                "Writes a commit",
                COUNT,
                *quantiles(f"sevenstud_store_commit_writes_bucket{{{only}}}"),
                meaning="How many writes shared one commit: more under load.",
            ),
            panel("Statements a write", COUNT, *quantiles(f"sevenstud_store_write_statements_bucket{{{only}}}")),
        ),
    )


def service(job: str, *own: Row) -> Board:
    """The dashboard of one service: its own figures first."""
    rows = (*own, calls(job), *((store(job),) if job in _STORING else ()), process(job))
    return Board(f"sevenstud-{job}", f"sevenstud: {job}", rows)


OVERVIEW = Board(
    "sevenstud-suite",
    "sevenstud: the suite",
    (
        Row(
            "Is all well",
            (
                panel("Replicas", COUNT, ("sum by (service) (sevenstud_build_info)", "{{service}}")),
                panel("Versions", COUNT, ("count by (version) (sevenstud_build_info)", "{{version}}")),
                panel(
                    "Units out of balance",
                    COUNT,
                    "max(sevenstud_tournament_ledger_units_out_of_balance)",
                    meaning="Must be 0.",
                ),
                panel(
                    "Tables that wait",
                    COUNT,
                    ("sum by (service) (sevenstud_tables_waiting) or vector(0)", "{{service}}"),
                ),
                panel(
                    "Hands voided",
                    COUNT,
                    'sum(increase(sevenstud_hands_total{ended="voided"}[1h])) or vector(0)',
                    meaning="In an hour.",
                ),
            ),
        ),
        Row(
            "Play",
            (
                panel("Tables", COUNT, ("max by (state) (sevenstud_tables)", "{{state}}")),
                panel("Actions a second", PER_SECOND, f"sum(rate(sevenstud_actions_total[{RATE}]))"),
                panel("Hands a second", PER_SECOND, f"sum(rate(sevenstud_hands_total[{RATE}]))"),
                panel("Watchers", COUNT, "sum(sevenstud_watchers)"),
            ),
        ),
        Row(
            "Calls",
            (
                panel(
                    "Calls a second", PER_SECOND, (f"sum by (job) (rate(grpc_server_started_total[{RATE}]))", "{{job}}")
                ),
                panel(
                    "Share that failed",
                    SHARE,
                    (_FAILED, "{{job}}"),
                    meaning="By our fault or for want of capacity; refusals by the rules do not count.",
                ),
                panel(
                    "Seconds an action",
                    SECONDS,
                    *quantiles(
                        "grpc_server_handling_seconds_bucket{"
                        'grpc_service="sevenstud.orchestrator.v1.TableService",grpc_method="Act"}'
                    ),
                ),
                panel(
                    "Calls at a time",
                    COUNT,
                    (f'sum by (job) (rate(grpc_server_handling_seconds_sum{{grpc_type="unary"}}[{RATE}]))', "{{job}}"),
                    meaning="What autoscaling goes by.",
                ),
            ),
        ),
        Row(
            "Processes",
            (
                panel("Processor", COUNT, (f"sum by (job) (rate(process_cpu_seconds_total[{RATE}]))", "{{job}}")),
                panel("Memory", BYTES, ("max by (job) (process_resident_memory_bytes)", "{{job}}")),
                panel("Event loop late", SECONDS, *quantiles("sevenstud_event_loop_lateness_seconds_bucket", "job")),
                panel("Seconds a write", SECONDS, *quantiles("sevenstud_store_write_seconds_bucket", "job")),
            ),
        ),
    ),
)

BOARDS = (
    OVERVIEW,
    service("orchestrator", *PLAY_ROWS),
    service("dealer", *DEALER_ROWS),
    service("betting"),
    service("evaluator", *EVALUATOR_ROWS),
    service("tournament-ledger"),
    Board("sevenstud-tournaments", "sevenstud: tournaments", TOURNAMENT_ROWS),
    Board("sevenstud-ledger", "sevenstud: money and chips", LEDGER_ROWS),
)
