"""Alerts that any service can raise: processes, calls, stores."""

from deploy.monitoring.rules import Alert, seen

SERVICES = ("betting", "dealer", "evaluator", "orchestrator", "tournament_ledger")
_JOBS = "|".join(service.replace("_", "-") for service in SERVICES)
_CALLS = 'grpc_server_handled_total{job="dealer",grpc_method="DealStreet",grpc_code='
_ACT = 'job="orchestrator",grpc_service="sevenstud.orchestrator.v1.TableService",grpc_method="Act"'
_BUCKET = f"grpc_server_handling_seconds_bucket{{{_ACT},le="
_ALL_HERE = tuple((f'sevenstud_build_info{{service="{service}",version="1"}}', "1x60") for service in SERVICES)

PROCESSES = (
    Alert(
        name="SevenstudServiceMissing",
        expression="\n or ".join(f'absent(sevenstud_build_info{{service="{service}"}})' for service in SERVICES),
        after="2m",
        severity="page",
        summary="No replica of {{ $labels.service }} is there.",
        fires=seen(*_ALL_HERE[:-1], minutes=10),
        rests=seen(*_ALL_HERE, minutes=10),
        labels=(("service", "tournament_ledger"),),
    ),
    Alert(
        name="SevenstudReplicaDown",
        expression=f'up{{job=~"{_JOBS}"}} == 0',
        after="3m",
        severity="ticket",
        summary="A replica of {{ $labels.job }} does not answer on its metrics port.",
        fires=seen(('up{job="betting",instance="a"}', "1x5 0x20"), minutes=12),
        rests=seen(('up{job="betting",instance="a"}', "1x5 0 0 1x20"), minutes=12),
        labels=(("job", "betting"), ("instance", "a")),
    ),
    Alert(
        name="SevenstudVersionsMixed",
        expression="count(count by (version) (sevenstud_build_info)) > 1",
        after="1h",
        severity="ticket",
        summary="Two versions of the suite have run beside one another for an hour.",
        fires=seen(*_ALL_HERE, ('sevenstud_build_info{service="betting",version="2"}', "1x120"), minutes=60),
        rests=seen(*_ALL_HERE, minutes=60),
    ),
    Alert(
        name="SevenstudEventLoopLate",
        expression=(
            "histogram_quantile(0.99, sum by (job, le) (rate(sevenstud_event_loop_lateness_seconds_bucket[5m]))) > 0.2"
        ),
        after="5m",
        severity="ticket",
        summary="{{ $labels.job }} is short of processor time: its event loop wakes late.",
        fires=seen(
            ('sevenstud_event_loop_lateness_seconds_bucket{job="betting",le="0.2"}', "0+90x30"),
            ('sevenstud_event_loop_lateness_seconds_bucket{job="betting",le="0.5"}', "0+100x30"),
            ('sevenstud_event_loop_lateness_seconds_bucket{job="betting",le="+Inf"}', "0+100x30"),
            minutes=20,
        ),
        rests=seen(
            ('sevenstud_event_loop_lateness_seconds_bucket{job="betting",le="0.2"}', "0+100x30"),
            ('sevenstud_event_loop_lateness_seconds_bucket{job="betting",le="+Inf"}', "0+100x30"),
            minutes=20,
        ),
        labels=(("job", "betting"),),
    ),
    Alert(
        name="SevenstudMemoryHigh",
        expression=f'process_resident_memory_bytes{{job=~"{_JOBS}"}} > 440e6',
        after="10m",
        severity="ticket",
        summary="A replica of {{ $labels.job }} is near its limit of memory.",
        fires=seen(('process_resident_memory_bytes{job="orchestrator"}', "460000000x30"), minutes=20),
        rests=seen(('process_resident_memory_bytes{job="orchestrator"}', "200000000x30"), minutes=20),
        labels=(("job", "orchestrator"),),
    ),
)

CALLS = (
    Alert(
        name="SevenstudFaults",
        expression="""
sum by (job) (rate(grpc_server_handled_total{grpc_code=~"INTERNAL|UNKNOWN|DATA_LOSS|UNIMPLEMENTED"}[5m]))
  / sum by (job) (rate(grpc_server_handled_total[5m])) > 0.001
""",
        after="5m",
        severity="page",
        summary="{{ $labels.job }} answers calls with faults of its own.",
        fires=seen((_CALLS + '"INTERNAL"}', "0+1x30"), (_CALLS + '"OK"}', "0+99x30"), minutes=20),
        rests=seen((_CALLS + '"NOT_FOUND"}', "0+1x30"), (_CALLS + '"OK"}', "0+99x30"), minutes=20),
        labels=(("job", "dealer"),),
    ),
    Alert(
        name="SevenstudCallsLost",
        expression="""
sum by (job) (rate(grpc_server_handled_total{grpc_code=~"UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED"}[5m]))
  / sum by (job) (rate(grpc_server_handled_total[5m])) > 0.02
""",
        after="5m",
        severity="page",
        summary="{{ $labels.job }} cannot serve all calls: it is overloaded, or what it needs is away.",
        fires=seen((_CALLS + '"UNAVAILABLE"}', "0+10x30"), (_CALLS + '"OK"}', "0+90x30"), minutes=20),
        rests=seen((_CALLS + '"UNAVAILABLE"}', "0+1x30"), (_CALLS + '"OK"}', "0+999x30"), minutes=20),
        labels=(("job", "dealer"),),
    ),
    Alert(
        name="SevenstudCallersRefused",
        expression=(
            'sum by (job) (rate(grpc_server_handled_total{grpc_code=~"UNAUTHENTICATED|PERMISSION_DENIED"}[5m])) > 1'
        ),
        after="10m",
        severity="ticket",
        summary="Somebody keeps calling {{ $labels.job }} without the right to: a wrong setting, or an attack.",
        fires=seen((_CALLS + '"PERMISSION_DENIED"}', "0+120x30"), minutes=25),
        rests=seen((_CALLS + '"PERMISSION_DENIED"}', "0+6x30"), minutes=25),
        labels=(("job", "dealer"),),
    ),
    Alert(
        name="SevenstudActionsSlow",
        expression="""
histogram_quantile(0.99, sum by (le) (rate(grpc_server_handling_seconds_bucket{
  grpc_service="sevenstud.orchestrator.v1.TableService", grpc_method="Act"}[5m]))) > 0.25
""",
        after="10m",
        severity="page",
        summary="One action in a hundred takes longer than a quarter of a second.",
        fires=seen(
            (_BUCKET + '"0.2"}', "0+90x40"),
            (_BUCKET + '"0.5"}', "0+100x40"),
            (_BUCKET + '"+Inf"}', "0+100x40"),
            minutes=30,
        ),
        rests=seen((_BUCKET + '"0.2"}', "0+100x40"), (_BUCKET + '"+Inf"}', "0+100x40"), minutes=30),
    ),
)

STORES = (
    Alert(
        name="SevenstudStoreBroken",
        expression="sevenstud_store_sound == 0",
        after="1m",
        severity="page",
        summary="The store of {{ $labels.job }} takes no more writes.",
        fires=seen(('sevenstud_store_sound{job="dealer"}', "1x5 0x20"), minutes=10),
        rests=seen(('sevenstud_store_sound{job="dealer"}', "1x20"), minutes=10),
        labels=(("job", "dealer"),),
    ),
    Alert(
        name="SevenstudWritesSlow",
        expression="histogram_quantile(0.99, sum by (job, le) (rate(sevenstud_store_write_seconds_bucket[5m]))) > 0.2",
        after="10m",
        severity="ticket",
        summary="Writes of {{ $labels.job }} take long: the disk or the database is slow.",
        fires=seen(
            ('sevenstud_store_write_seconds_bucket{job="orchestrator",le="0.2"}', "0+90x40"),
            ('sevenstud_store_write_seconds_bucket{job="orchestrator",le="0.5"}', "0+100x40"),
            ('sevenstud_store_write_seconds_bucket{job="orchestrator",le="+Inf"}', "0+100x40"),
            minutes=30,
        ),
        rests=seen(
            ('sevenstud_store_write_seconds_bucket{job="orchestrator",le="0.2"}', "0+100x40"),
            ('sevenstud_store_write_seconds_bucket{job="orchestrator",le="+Inf"}', "0+100x40"),
            minutes=30,
        ),
        labels=(("job", "orchestrator"),),
    ),
    Alert(
        name="SevenstudWritesLost",
        expression='sum by (job) (increase(sevenstud_store_writes_total{outcome=~"unavailable|broken"}[10m])) > 5',
        after="0m",
        severity="page",
        summary="The store of {{ $labels.job }} refuses writes.",
        fires=seen(('sevenstud_store_writes_total{job="dealer",outcome="unavailable"}', "0+2x30"), minutes=20),
        rests=seen(('sevenstud_store_writes_total{job="dealer",outcome="committed"}', "0+200x30"), minutes=20),
        labels=(("job", "dealer"),),
    ),
    Alert(
        name="SevenstudWritesConflict",
        expression="""
sum by (job) (rate(sevenstud_store_writes_total{outcome="conflict"}[10m]))
  / sum by (job) (rate(sevenstud_store_writes_total[10m])) > 0.1
""",
        after="10m",
        severity="ticket",
        summary="Replicas of {{ $labels.job }} get into one another's way.",
        fires=seen(
            ('sevenstud_store_writes_total{job="orchestrator",outcome="conflict"}', "0+30x60"),
            ('sevenstud_store_writes_total{job="orchestrator",outcome="committed"}', "0+70x60"),
            minutes=40,
        ),
        rests=seen(
            ('sevenstud_store_writes_total{job="orchestrator",outcome="conflict"}', "0+1x60"),
            ('sevenstud_store_writes_total{job="orchestrator",outcome="committed"}', "0+99x60"),
            minutes=40,
        ),
        labels=(("job", "orchestrator"),),
    ),
)
