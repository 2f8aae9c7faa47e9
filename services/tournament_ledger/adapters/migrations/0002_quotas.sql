-- Who could be taken for a new player: the ids as they are read aloud, and as they look (domain/look_alikes.py).
CREATE INDEX ledger_accounts_spoken ON ledger_accounts (lower(owner_id));
CREATE INDEX ledger_accounts_looks ON ledger_accounts
    (replace(replace(replace(replace(owner_id, 'm', 'rn'), '0', 'O'), '1', 'l'), 'I', 'l'));

-- How many holds of a wallet are open.
CREATE INDEX ledger_holds_by_wallet ON ledger_holds (player_id, currency, state);
