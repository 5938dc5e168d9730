-- What may be used once over all servers: encrypted calls of phones, and assertions of API clients.

-- UNLOGGED: a row is of use for some minutes, so it need not be in the log, on standbys and in archives. PostgreSQL empties the table after
-- a crash, and when a standby is promoted. The row with an empty digest then is gone, too. The next use writes it again: names that were
-- issued until its time are refused, because they may have been used.
CREATE UNLOGGED TABLE used_names (
    digest   bytea NOT NULL PRIMARY KEY CHECK (length(digest) IN (0, 32)),
    until_ms bigint NOT NULL  -- from then on the name is refused because of its age
);
CREATE INDEX used_names_by_end ON used_names (until_ms);
-- No name was used before.
INSERT INTO used_names (digest, until_ms) VALUES ('', 0);
