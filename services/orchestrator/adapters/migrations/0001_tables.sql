-- One row a table, replaced with every event of its log: what recovery and lists need without reading the log.
CREATE TABLE tables (
    table_id TEXT NOT NULL PRIMARY KEY,
    place BIGINT NOT NULL UNIQUE,
    tournament_id TEXT NOT NULL,
    closed BIGINT NOT NULL,
    due_at_micros BIGINT,
    betting BYTEA NOT NULL,
    line BYTEA NOT NULL,
    kept BYTEA
);

CREATE INDEX tables_by_tournament ON tables (tournament_id, place);

CREATE INDEX tables_by_due_time ON tables (closed, due_at_micros);

-- Where finished hands are in the logs.
CREATE TABLE hands (
    hand_id TEXT NOT NULL PRIMARY KEY,
    table_id TEXT NOT NULL,
    hand_number BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    last_version BIGINT NOT NULL,
    voided BIGINT NOT NULL,
    UNIQUE (table_id, hand_number)
);

-- Chips that are being bought at the ledger; a row stays until it is known what became of the purchase.
CREATE TABLE purchases (
    table_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    digest BYTEA NOT NULL,
    player_id TEXT NOT NULL,
    seat BIGINT NOT NULL,
    chips BIGINT NOT NULL,
    PRIMARY KEY (table_id, request_id)
);
