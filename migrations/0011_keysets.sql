-- The keys that all others come from, sealed under the master key: one row for each master key that opens them. There are
-- two rows while one master key takes over from another.

CREATE TABLE keysets (
    master_id     BLOB NOT NULL PRIMARY KEY CHECK (length(master_id) = 8),  -- derived from the master key; tells nothing of it
    number        INTEGER NOT NULL UNIQUE CHECK (number > 0),               -- grows with each master key
    created_at_ms INTEGER NOT NULL,                                         -- when this master key was added
    keyset_sealed BLOB NOT NULL                                             -- under the master key: `Keyset`
) STRICT;
