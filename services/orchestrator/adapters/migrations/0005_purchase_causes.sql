-- What the ledger's request of a purchase is named after; empty: the request id alone, as it was begun before this column.
ALTER TABLE purchases ADD COLUMN cause TEXT NOT NULL DEFAULT '';
