-- Who could be taken for a new player, by look and by sound together (domain/look_alikes.py).
DROP INDEX ledger_accounts_spoken;
DROP INDEX ledger_accounts_looks;
CREATE INDEX ledger_accounts_likeness ON ledger_accounts
    (replace(replace(replace(replace(lower(owner_id), 'm', 'rn'), '0', 'o'), '1', 'l'), 'i', 'l'));
