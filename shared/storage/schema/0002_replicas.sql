-- Processes that share this database; each raises its beat while it lives.
CREATE TABLE replicas (
    replica TEXT NOT NULL PRIMARY KEY,
    beat BIGINT NOT NULL
);

-- Who goes on by itself with what, as a table or a tournament; empty: nobody just now. Each change of hands is an epoch.
CREATE TABLE owners (
    subject TEXT NOT NULL PRIMARY KEY,
    replica TEXT NOT NULL,
    epoch BIGINT NOT NULL
);
