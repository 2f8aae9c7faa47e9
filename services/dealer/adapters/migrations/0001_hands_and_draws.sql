-- One row a hand. `version` is the number of steps taken and the guard of every write; the seed commitment is unique, so
-- that a seed that came twice is caught; the record is public, what must stay secret is sealed.
CREATE TABLE dealer_hands (
    hand_id TEXT NOT NULL PRIMARY KEY,
    table_id TEXT NOT NULL,
    hand_number BIGINT NOT NULL CHECK (hand_number > 0),
    version BIGINT NOT NULL CHECK (version > 0),
    state TEXT NOT NULL CHECK (state IN ('open', 'closed', 'voided')),
    key_id TEXT NOT NULL,
    seed_commitment BYTEA NOT NULL UNIQUE,
    record BYTEA NOT NULL,
    sealed BYTEA NOT NULL,
    UNIQUE (table_id, hand_number)
);

CREATE INDEX dealer_hands_by_state ON dealer_hands (state, key_id);

-- Which step of which hand answered a request; the answer itself is worked out again, because it holds cards.
CREATE TABLE dealer_requests (
    request_id TEXT NOT NULL PRIMARY KEY,
    hand_id TEXT NOT NULL,
    step_number BIGINT NOT NULL CHECK (step_number >= 0)
);

-- One row a draw of lots; the seed is public.
CREATE TABLE dealer_draws (
    draw_id TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    seed_commitment BYTEA NOT NULL UNIQUE,
    record BYTEA NOT NULL
);

CREATE INDEX dealer_draws_by_subject ON dealer_draws (subject_id, purpose);
