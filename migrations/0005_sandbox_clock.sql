-- How far the sandbox clock runs ahead of the machine's, so that what had expired stays so over a restart. One row, in sandbox
-- mode only.

CREATE TABLE sandbox_clock (
    number         INTEGER PRIMARY KEY CHECK (number = 1),
    offset_seconds INTEGER NOT NULL CHECK (offset_seconds >= 0)
) STRICT;
