-- When the whole database was last read and found sound, by the machine's clock. One row; none after damage was found.

CREATE TABLE integrity_check (
    number       INTEGER PRIMARY KEY CHECK (number = 1),
    passed_at_ms INTEGER NOT NULL
) STRICT;
