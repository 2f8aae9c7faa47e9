-- Heads of the ledger's books as they were seen last: a ledger that does not have them any more was restored alone.
CREATE TABLE ledger_marks (
    book TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL CHECK (number > 0),
    hash BYTEA NOT NULL
);
