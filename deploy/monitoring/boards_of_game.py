"""The rows of the dashboards that show the game."""

from deploy.monitoring.panels import COUNT, PER_SECOND, RATE, SECONDS, SHARE, Row, panel, quantiles

PLAY_ROWS = (
    Row(
        "Play",
        (
            panel("Tables", COUNT, ("max by (state) (sevenstud_tables)", "{{state}}")),
            panel("Hands a second", PER_SECOND, (f"sum by (ended) (rate(sevenstud_hands_total[{RATE}]))", "{{ended}}")),
            panel(
                "Actions a second", PER_SECOND, (f"sum by (kind) (rate(sevenstud_actions_total[{RATE}]))", "{{kind}}")
            ),
            panel(
                "Streets a second",
                PER_SECOND,
                (f"sum by (street) (rate(sevenstud_streets_total[{RATE}]))", "{{street}}"),
            ),
        ),
    ),
    Row(
        "Pace",
        (
            panel("Length of hands", SECONDS, *quantiles("sevenstud_hand_seconds_bucket")),
            panel("Length of streets", SECONDS, *quantiles("sevenstud_street_seconds_bucket", "street")),
            panel("Time to decide", SECONDS, *quantiles("sevenstud_decision_seconds_bucket")),
            panel(
                "Decisions by the server",
                PER_SECOND,
                (f"sum by (cause) (rate(sevenstud_timeouts_total[{RATE}])) or vector(0)", "{{cause}}"),
            ),
            panel("Clocks late", SECONDS, *quantiles("sevenstud_clock_lateness_seconds_bucket")),
        ),
    ),
    Row(
        "Pots and cards",
        (
            panel("Pots, in lower limits", COUNT, *quantiles("sevenstud_pot_lower_limits_bucket")),
            panel("Rake, chips an hour", COUNT, "sum(increase(sevenstud_rake_chips_total[1h]))"),
            panel(
                "Deck-outs an hour",
                COUNT,
                ("sum by (source) (increase(sevenstud_deck_outs_total[1h])) or vector(0)", "{{source}}"),
            ),
            panel("Mucked hands disclosed an hour", COUNT, "sum(increase(sevenstud_mucked_hands_disclosed_total[1h]))"),
        ),
    ),
    Row(
        "Watchers",
        (
            panel("Watchers", COUNT, "sum(sevenstud_watchers)"),
            panel(
                "Messages a second",
                PER_SECOND,
                (
                    f'sum by (grpc_method) (rate(grpc_server_msg_sent_total{{job="orchestrator"}}[{RATE}]))',
                    "{{grpc_method}}",
                ),
            ),
            panel("Events behind", COUNT, *quantiles("sevenstud_watcher_lag_events_bucket")),
            panel("Watchers lost", COUNT, "sum(increase(sevenstud_watchers_lost_total[1h]))", meaning="In an hour."),
        ),
    ),
    Row(
        "What waits",
        (
            panel(
                "Tables that wait", COUNT, ("sum by (service) (sevenstud_tables_waiting) or vector(0)", "{{service}}")
            ),
            panel("Hands not booked yet", COUNT, "sum(sevenstud_hands_unbooked)"),
            panel(
                "Steps that failed",
                COUNT,
                ("sum by (step) (increase(sevenstud_table_step_failures_total[1h])) or vector(0)", "{{step}}"),
            ),
            panel(
                "Times tables waited",
                COUNT,
                ("sum by (service) (increase(sevenstud_table_stalls_total[1h])) or vector(0)", "{{service}}"),
            ),
            panel("Events an append", COUNT, *quantiles("sevenstud_log_append_events_bucket")),
        ),
    ),
)

_SHUFFLES = "sevenstud_dealer_shuffles_"
DEALER_ROWS = (
    Row(
        "Hands",
        (
            panel(
                "Hands opened a second",
                PER_SECOND,
                (f"sum by (scripted) (rate(sevenstud_dealer_hands_opened_total[{RATE}]))", "scripted: {{scripted}}"),
            ),
            panel(
                "Hands ended a second",
                PER_SECOND,
                (f"sum by (outcome) (rate(sevenstud_dealer_hands_ended_total[{RATE}]))", "{{outcome}}"),
            ),
            panel(
                "Streets by where the cards came from",
                PER_SECOND,
                (f"sum by (source) (rate(sevenstud_dealer_streets_dealt_total[{RATE}]))", "{{source}}"),
            ),
            panel("Hands whose street was not followed", COUNT, "sum(sevenstud_dealer_streets_unfollowed)"),
        ),
    ),
    Row(
        "Fairness",
        (
            panel(
                "Shuffles",
                COUNT,
                (f"sum by (purpose) ({_SHUFFLES}drawn_total)", "{{purpose}} drawn"),
                (f"sum by (purpose) ({_SHUFFLES}used_total)", "{{purpose}} used"),
                (f"sum by (purpose) ({_SHUFFLES}voided_total) or vector(0)", "{{purpose}} voided"),
                meaning="Drawn = used + voided; used for hands = hands opened.",
            ),
            panel(
                "Card by position, chi-square",
                COUNT,
                "max(sevenstud_dealer_watch_card_by_position)",
                meaning="2601 degrees of freedom.",
            ),
            panel("Furthest cell, deviations", COUNT, "max(sevenstud_dealer_watch_furthest_cell)"),
            panel("Hands of the live watch", COUNT, "max(sevenstud_dealer_watch_hands)"),
            panel(
                "Looks that were alarms", COUNT, ("sum by (figure) (sevenstud_dealer_watch_alarms_total)", "{{figure}}")
            ),
        ),
    ),
    Row(
        "Disclosures",
        (
            panel(
                "Seats whose down cards were given",
                PER_SECOND,
                (f"sum by (kind) (rate(sevenstud_dealer_disclosures_total[{RATE}])) or vector(0)", "{{kind}}"),
            ),
            panel("Lots drawn an hour", COUNT, "sum(increase(sevenstud_dealer_lots_drawn_total[1h]))"),
        ),
    ),
)

EVALUATOR_ROWS = (
    Row(
        "Long work",
        (
            panel("Hands a batch", COUNT, *quantiles("sevenstud_evaluator_batch_hands_bucket")),
            panel("Hands in batches a second", PER_SECOND, f"sum(rate(sevenstud_evaluator_batch_hands_sum[{RATE}]))"),
            panel("Deals a question about equity", COUNT, *quantiles("sevenstud_evaluator_equity_deals_bucket")),
        ),
    ),
)

TOURNAMENT_ROWS = (
    Row(
        "Tournaments",
        (
            panel("By state", COUNT, ("max by (state) (sevenstud_tournament_ledger_tournaments)", "{{state}}")),
            panel("In play here", COUNT, "sum(sevenstud_tournaments_playing)"),
            panel("Players left", COUNT, "sum(sevenstud_tournament_players)"),
            panel(
                "Events a second",
                PER_SECOND,
                (f"sum by (kind) (rate(sevenstud_tournament_events_total[{RATE}]))", "{{kind}}"),
            ),
        ),
    ),
    Row(
        "Calls",
        (
            panel(
                "Calls about tournaments",
                PER_SECOND,
                (
                    f'sum by (grpc_method) (rate(grpc_server_started_total{{grpc_service=~".*Tournament.*"}}[{RATE}]))',
                    "{{grpc_method}}",
                ),
            ),
            panel(
                "Seconds a call",
                SECONDS,
                *quantiles('grpc_server_handling_seconds_bucket{grpc_service=~".*Tournament.*",grpc_type="unary"}'),
            ),
        ),
    ),
)

LEDGER_ROWS = (
    Row(
        "Books",
        (
            panel(
                "Units out of balance",
                COUNT,
                "max(sevenstud_tournament_ledger_units_out_of_balance)",
                meaning="Must be 0.",
            ),
            panel(
                "Entries a second",
                PER_SECOND,
                (f"sum by (kind) (rate(sevenstud_tournament_ledger_entries_total[{RATE}]))", "{{kind}}"),
            ),
            panel(
                "Postings a second",
                PER_SECOND,
                (f"sum by (kind) (rate(sevenstud_tournament_ledger_postings_total[{RATE}]))", "{{kind}}"),
            ),
        ),
    ),
    Row(
        "Work",
        (
            panel(
                "Writes tried again",
                SHARE,
                f"sum(rate(sevenstud_tournament_ledger_write_conflicts_total[{RATE}]))"
                f' / sum(rate(sevenstud_store_writes_total{{job="tournament-ledger"}}[{RATE}]))',
            ),
            panel(
                "Seconds a booking",
                SECONDS,
                *quantiles('grpc_server_handling_seconds_bucket{grpc_method="RecordHand"}'),
            ),
            panel("Hands not booked yet", COUNT, "sum(sevenstud_hands_unbooked)"),
        ),
    ),
)
