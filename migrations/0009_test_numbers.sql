-- Numbers that messages are never sent to, each with a code of its own that passes until an end.

CREATE TABLE test_numbers (
    number_index  BLOB NOT NULL PRIMARY KEY,  -- keyed digest of the number
    entry_sealed  BLOB NOT NULL,              -- number and code
    client_id     TEXT,                       -- set where only one API client has it
    created_at_ms INTEGER NOT NULL,
    ends_at_ms    INTEGER NOT NULL
) STRICT;
