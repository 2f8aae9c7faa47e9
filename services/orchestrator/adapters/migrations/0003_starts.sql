-- Who asked last for the start of a tournament that is about to begin: a start that was cut off is finished as theirs.
CREATE TABLE asked_starts (
    tournament_id TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest BYTEA NOT NULL
);
