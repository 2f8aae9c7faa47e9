-- Version of the table when a purchase began, which the ledger is told; 0: begun before this column.
ALTER TABLE purchases ADD COLUMN table_version BIGINT NOT NULL DEFAULT 0;
