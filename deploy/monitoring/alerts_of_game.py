"""Alerts about hands in play, about fairness and about money."""

from deploy.monitoring.rules import Alert, seen

_VOIDED = 'sevenstud_hands_total{job="orchestrator",structure="LIMIT",ended="voided"}'
_PLAYED = 'sevenstud_hands_total{job="orchestrator",structure="LIMIT",ended="played"}'
_ACTIONS = 'sevenstud_actions_total{job="orchestrator",kind="CALL",structure="LIMIT",cause="PLAYER"}'
_LATE = 'sevenstud_clock_lateness_seconds_bucket{job="orchestrator",le='
_SHUFFLES = "sevenstud_dealer_shuffles_"

PLAY = (
    Alert(
        name="SevenstudHandVoided",
        expression='sum(increase(sevenstud_hands_total{ended="voided"}[15m])) > 0',
        after="0m",
        severity="page",
        summary="A hand could not go on and was voided: all chips went back.",
        fires=seen((_VOIDED, "0x5 1x20"), minutes=10),
        rests=seen((_VOIDED, "0x30"), (_PLAYED, "0+10x30"), minutes=10),
    ),
    Alert(
        name="SevenstudPlayStandsStill",
        expression="""
sum(sevenstud_tables{state="PLAYING"}) > 0
  unless sum(increase(sevenstud_actions_total[10m])) > 0
""",
        after="5m",
        severity="page",
        summary="Hands are in play, and nobody has acted for a quarter of an hour, not even the clocks.",
        fires=seen(('sevenstud_tables{job="orchestrator",state="PLAYING"}', "3x40"), (_ACTIONS, "7x40"), minutes=30),
        rests=seen(('sevenstud_tables{job="orchestrator",state="PLAYING"}', "3x40"), (_ACTIONS, "7+3x40"), minutes=30),
    ),
    Alert(
        name="SevenstudTablesWait",
        expression='sum by (service) (sevenstud_tables_waiting{service!="orchestrator"}) > 0',
        after="2m",
        severity="page",
        summary="Tables wait for {{ $labels.service }}.",
        fires=seen(('sevenstud_tables_waiting{job="orchestrator",service="dealer"}', "0x3 4x20"), minutes=10),
        rests=seen(('sevenstud_tables_waiting{job="orchestrator",service="dealer"}', "0x3 4 0x20"), minutes=10),
        labels=(("service", "dealer"),),
    ),
    Alert(
        name="SevenstudTableNeedsAttention",
        expression='sum(sevenstud_tables_waiting{service="orchestrator"}) > 0',
        after="1m",
        severity="page",
        summary="A table cannot take its next step by itself: somebody must look.",
        fires=seen(('sevenstud_tables_waiting{job="orchestrator",service="orchestrator"}', "0x3 1x20"), minutes=10),
        rests=seen(('sevenstud_tables_waiting{job="orchestrator",service="dealer"}', "1x20"), minutes=10),
    ),
    Alert(
        name="SevenstudStepsFail",
        expression="sum by (step) (increase(sevenstud_table_step_failures_total[10m])) > 3",
        after="0m",
        severity="ticket",
        summary="Tables fail again and again at the step {{ $labels.step }}.",
        fires=seen(('sevenstud_table_step_failures_total{job="orchestrator",step="DealStreet"}', "0+1x30"), minutes=20),
        rests=seen(('sevenstud_table_step_failures_total{job="orchestrator",step="DealStreet"}', "0 1x30"), minutes=20),
        labels=(("step", "DealStreet"),),
    ),
    Alert(
        name="SevenstudClocksLate",
        expression=("histogram_quantile(0.99, sum by (le) (rate(sevenstud_clock_lateness_seconds_bucket[10m]))) > 1"),
        after="5m",
        severity="ticket",
        summary="The server acts more than a second late for players whose time is over.",
        fires=seen(
            (_LATE + '"1.0"}', "0+9x40"), (_LATE + '"2.0"}', "0+10x40"), (_LATE + '"+Inf"}', "0+10x40"), minutes=30
        ),
        rests=seen((_LATE + '"1.0"}', "0+10x40"), (_LATE + '"+Inf"}', "0+10x40"), minutes=30),
    ),
    Alert(
        name="SevenstudWatchersLost",
        expression="sum(increase(sevenstud_watchers_lost_total[10m])) > 10",
        after="0m",
        severity="ticket",
        summary="Watchers fall so far behind that they must resume.",
        fires=seen(('sevenstud_watchers_lost_total{job="orchestrator"}', "0+3x30"), minutes=20),
        rests=seen(('sevenstud_watchers_lost_total{job="orchestrator"}', "0 1 2x30"), minutes=20),
    ),
    Alert(
        name="SevenstudHandsUnbooked",
        expression=('sum(sevenstud_hands_unbooked) - sum(sevenstud_tables{state=~"PLAYING|STALLED"}) > 5'),
        after="5m",
        severity="page",
        summary="Hands are over and the ledger has not booked them.",
        fires=seen(
            ('sevenstud_hands_unbooked{job="orchestrator"}', "30x30"),
            ('sevenstud_tables{job="orchestrator",state="PLAYING"}', "10x30"),
            minutes=20,
        ),
        rests=seen(
            ('sevenstud_hands_unbooked{job="orchestrator"}', "12x30"),
            ('sevenstud_tables{job="orchestrator",state="PLAYING"}', "10x30"),
            minutes=20,
        ),
    ),
)

FAIRNESS = (
    Alert(
        name="SevenstudBooksOutOfBalance",
        expression="sevenstud_tournament_ledger_units_out_of_balance != 0",
        after="0m",
        severity="page",
        summary="The books do not sum up to zero.",
        fires=seen(
            ('sevenstud_tournament_ledger_units_out_of_balance{job="tournament-ledger"}', "0 0 1x10"), minutes=5
        ),
        rests=seen(('sevenstud_tournament_ledger_units_out_of_balance{job="tournament-ledger"}', "0x20"), minutes=5),
        labels=(("job", "tournament-ledger"),),
    ),
    Alert(
        name="SevenstudCardsNoChance",
        expression="sum by (figure) (increase(sevenstud_dealer_watch_alarms_total[1h])) > 0",
        after="0m",
        severity="page",
        summary="The cards of real hands are not what chance gives ({{ $labels.figure }}).",
        fires=seen(
            ('sevenstud_dealer_watch_alarms_total{job="dealer",figure="furthest_cell"}', "0x5 1x30"), minutes=20
        ),
        rests=seen(('sevenstud_dealer_watch_alarms_total{job="dealer",figure="furthest_cell"}', "0x60"), minutes=20),
        labels=(("figure", "furthest_cell"),),
    ),
    Alert(
        name="SevenstudShufflesUnaccounted",
        expression=f"""
sum({_SHUFFLES}drawn_total)
  - sum({_SHUFFLES}used_total) - sum({_SHUFFLES}voided_total or vector(0)) > 5
""",
        after="10m",
        severity="page",
        summary="Shuffles were drawn that were neither used nor voided.",
        fires=seen(
            (_SHUFFLES + 'drawn_total{job="dealer",purpose="hand"}', "100+1x40"),
            (_SHUFFLES + 'used_total{job="dealer",purpose="hand"}', "90+1x40"),
            minutes=30,
        ),
        rests=seen(
            (_SHUFFLES + 'drawn_total{job="dealer",purpose="hand"}', "100+1x40"),
            (_SHUFFLES + 'used_total{job="dealer",purpose="hand"}', "98+1x40"),
            (_SHUFFLES + 'voided_total{job="dealer",purpose="hand"}', "2x40"),
            minutes=30,
        ),
    ),
    Alert(
        name="SevenstudShufflesVoided",
        expression='sum(increase(sevenstud_dealer_shuffles_voided_total{purpose="hand"}[1h])) > 10',
        after="0m",
        severity="ticket",
        summary="Many shuffles were thrown away: restarts, lost races, or somebody who draws until a deck suits him.",
        fires=seen((_SHUFFLES + 'voided_total{job="dealer",purpose="hand"}', "0+1x90"), minutes=60),
        rests=seen((_SHUFFLES + 'voided_total{job="dealer",purpose="hand"}', "0 1 2x90"), minutes=60),
    ),
    Alert(
        name="SevenstudStreetUnfollowed",
        expression="sum(sevenstud_dealer_streets_unfollowed) > 0",
        after="5m",
        severity="page",
        summary="A street was dealt and nothing followed: a table is stuck, or somebody looked at cards ahead of time.",
        fires=seen(('sevenstud_dealer_streets_unfollowed{job="dealer"}', "1x20"), minutes=10),
        rests=seen(('sevenstud_dealer_streets_unfollowed{job="dealer"}', "0x20"), minutes=10),
    ),
    Alert(
        name="SevenstudScriptedHands",
        expression='sum(increase(sevenstud_dealer_hands_opened_total{scripted="true"}[10m])) > 0',
        after="0m",
        severity="page",
        summary="Hands are dealt whose cards were chosen beforehand: no such dealer belongs into production.",
        fires=seen(('sevenstud_dealer_hands_opened_total{job="dealer",scripted="true"}', "0x3 1x20"), minutes=8),
        rests=seen(('sevenstud_dealer_hands_opened_total{job="dealer",scripted="false"}', "0+9x20"), minutes=8),
    ),
)
