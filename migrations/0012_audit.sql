-- What auditors are shown: each line has the hash of the line before it.

CREATE TABLE audit_entries (
    number      INTEGER NOT NULL PRIMARY KEY, -- from 1, without a gap
    at_ms       INTEGER NOT NULL,
    line_sealed BLOB NOT NULL,                -- JSON
    hash        BLOB NOT NULL CHECK (length(hash) = 32)  -- of the JSON
) STRICT;

-- Both ends of the chain. The keyed code is over all of it.
CREATE TABLE audit_ends (
    number        INTEGER NOT NULL PRIMARY KEY CHECK (number = 1),
    before_number INTEGER NOT NULL, -- the last line that was removed as too old, 0 for none
    before_hash   BLOB NOT NULL CHECK (length(before_hash) = 32),
    last_number   INTEGER NOT NULL,
    last_hash     BLOB NOT NULL CHECK (length(last_hash) = 32),
    code          BLOB NOT NULL CHECK (length(code) = 32)
) STRICT;
