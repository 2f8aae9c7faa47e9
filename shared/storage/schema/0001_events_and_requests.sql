-- One row a stream: the version of its last event. The guard of every append.
CREATE TABLE event_streams (
    stream TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL CHECK (version > 0)
);

-- The facts, in order within a stream, never changed.
CREATE TABLE events (
    stream TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0),
    kind TEXT NOT NULL,
    payload BYTEA NOT NULL,
    recorded_at_micros BIGINT NOT NULL,
    PRIMARY KEY (stream, version)
);

-- What was answered to each mutating request, so that a repeated one gets the first answer again.
CREATE TABLE answered_requests (
    scope TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest BYTEA NOT NULL,
    answer BYTEA NOT NULL,
    answered_at_micros BIGINT NOT NULL,
    PRIMARY KEY (scope, request_id)
);

CREATE INDEX answered_requests_by_age ON answered_requests (answered_at_micros);
