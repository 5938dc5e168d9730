-- Beginnings of numbers that get no messages, because too few people answered them. What is counted of them stands in
-- `limit_counts`, under a digest; this is what operators are shown.

CREATE TABLE closed_prefixes (
    prefix   TEXT NOT NULL PRIMARY KEY,  -- all but the last four digits of a number
    until_ms INTEGER NOT NULL,
    times    INTEGER NOT NULL            -- in a row, without an answer between
) STRICT, WITHOUT ROWID;
