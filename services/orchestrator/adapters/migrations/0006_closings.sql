-- The request that began to close a table, until the table is closed: it takes several steps, each of which changes the
-- table, and whoever asks again for the same goes on with them whatever version was expected at first.
CREATE TABLE closings (
    table_id TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest BYTEA NOT NULL
);
