-- Chips bought at cash tables by the request that bought them: known for ever, when its answer is not kept any more.
CREATE INDEX ledger_buy_ins_by_request ON ledger_journal (request_id) WHERE kind = 'BOUGHT_IN';
