-- What limits over sessions have counted.

CREATE TABLE limit_counts (
    key_digest BLOB NOT NULL PRIMARY KEY CHECK (length(key_digest) = 16),  -- keyed digest of what is counted and for whom
    tally      BLOB NOT NULL,     -- a record: failures in a row, the end of a stop, moments with counts
    ends_at_ms INTEGER NOT NULL   -- from then on nothing in it counts; the largest integer for a full stop
) STRICT, WITHOUT ROWID;

-- For the sweeper.
CREATE INDEX limit_counts_by_end ON limit_counts (ends_at_ms);
