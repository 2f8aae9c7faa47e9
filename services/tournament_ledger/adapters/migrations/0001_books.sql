-- The head of each book: the guard of every append.
CREATE TABLE ledger_books (
    book TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL CHECK (number > 0),
    hash BYTEA NOT NULL,
    at_micros BIGINT NOT NULL
);

-- The journal: entries are only ever added.
CREATE TABLE ledger_journal (
    book TEXT NOT NULL,
    number BIGINT NOT NULL CHECK (number > 0),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    at_micros BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    previous_hash BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (book, number)
);

-- Balances. Only the accounts that stand for a world beyond the book may be below zero.
CREATE TABLE ledger_accounts (
    account_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    unit TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    balance BIGINT NOT NULL DEFAULT 0,
    UNIQUE (account_id, unit),
    CHECK (balance >= 0 OR kind IN ('OUTSIDE', 'GUARANTEE', 'CHIPS_ISSUED'))
);

CREATE INDEX ledger_accounts_by_owner ON ledger_accounts (owner_id, kind);

-- Movements: one amount from one account to another of the same unit, so that nothing else can be written down.
CREATE TABLE ledger_postings (
    book TEXT NOT NULL,
    number BIGINT NOT NULL,
    position BIGINT NOT NULL,
    from_account_id TEXT NOT NULL,
    to_account_id TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    unit TEXT NOT NULL,
    PRIMARY KEY (book, number, position),
    FOREIGN KEY (book, number) REFERENCES ledger_journal (book, number),
    FOREIGN KEY (from_account_id, unit) REFERENCES ledger_accounts (account_id, unit),
    FOREIGN KEY (to_account_id, unit) REFERENCES ledger_accounts (account_id, unit),
    CHECK (from_account_id <> to_account_id)
);

CREATE INDEX ledger_postings_from ON ledger_postings (from_account_id);
CREATE INDEX ledger_postings_to ON ledger_postings (to_account_id);

-- Tournaments: what was published is written once, where it stands is replaced.
CREATE TABLE ledger_tournaments (
    tournament_id TEXT NOT NULL PRIMARY KEY,
    announced_at_micros BIGINT NOT NULL,
    state TEXT NOT NULL,
    published BYTEA NOT NULL,
    record BYTEA NOT NULL
);

CREATE INDEX ledger_tournaments_by_age ON ledger_tournaments (announced_at_micros, tournament_id);
CREATE INDEX ledger_tournaments_by_state ON ledger_tournaments (state, announced_at_micros, tournament_id);

CREATE TABLE ledger_entrants (
    tournament_id TEXT NOT NULL,
    player_id TEXT NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (tournament_id, player_id)
);

CREATE TABLE ledger_tournament_tables (
    tournament_id TEXT NOT NULL,
    table_id TEXT NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (tournament_id, table_id)
);

CREATE TABLE ledger_cash_tables (
    table_id TEXT NOT NULL PRIMARY KEY,
    record BYTEA NOT NULL
);

-- Money reserved: open until it is posted, voided or expires, exactly once.
CREATE TABLE ledger_holds (
    hold_id TEXT NOT NULL PRIMARY KEY,
    player_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    expires_at_micros BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('OPEN', 'POSTED', 'VOIDED', 'EXPIRED'))
);

CREATE INDEX ledger_holds_by_expiry ON ledger_holds (state, expires_at_micros);
