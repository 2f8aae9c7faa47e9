-- One row a shuffle, written before its seed is drawn: no deck can be drawn and thrown away unseen, not even by stopping
-- the process. Drawn = used + voided, and what is still begun at a start was cut off by the end of the process.
CREATE TABLE dealer_shuffles (
    shuffle_id TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL CHECK (purpose IN ('hand', 'lots')),
    subject_id TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'used', 'voided')),
    void_reason TEXT NOT NULL CHECK ((outcome = 'voided') = (void_reason <> ''))
);

CREATE INDEX dealer_shuffles_by_outcome ON dealer_shuffles (outcome, purpose);

INSERT INTO dealer_shuffles (shuffle_id, purpose, subject_id, outcome, void_reason)
SELECT 'hand:' || hand_id, 'hand', hand_id, 'used', '' FROM dealer_hands;

INSERT INTO dealer_shuffles (shuffle_id, purpose, subject_id, outcome, void_reason)
SELECT 'lots:' || draw_id, 'lots', draw_id, 'used', '' FROM dealer_draws;
