-- How often each card lay at each position, over closed hands; one row a shuffle version. Sealed: the difference of two
-- states of it would be a few whole decks.
CREATE TABLE dealer_watch (
    shuffle_version TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL CHECK (version > 0),
    key_id TEXT NOT NULL,
    sealed BYTEA NOT NULL
);
