-- Entrants of tournaments that have not begun, and whether they are connected, as far as anybody said.
CREATE TABLE entrant_connections (
    tournament_id TEXT NOT NULL,
    player_id TEXT NOT NULL,
    connected BIGINT NOT NULL,
    PRIMARY KEY (tournament_id, player_id)
);
