-- Limits count by API client and by who asks, and messages that may go unanswered in buckets (docs/limits.md). What was
-- counted so far stands under other keys and can be found by none of the new ones.

DELETE FROM limit_counts;

-- Beginnings of numbers that an operator has closed, for all API clients. Those that were closed by themselves stay closed
-- for the hours that they had left.
ALTER TABLE closed_prefixes DROP COLUMN times;

-- Prefixes and countries that have no more room for strangers, at one API client. What is counted of them stands in
-- `limit_counts`, under a digest; this is what operators are shown.
CREATE TABLE scarce_places (
    client_id TEXT NOT NULL,
    place     TEXT NOT NULL,     -- all but the last four digits of a number, or a country
    since_ms  INTEGER NOT NULL,
    PRIMARY KEY (client_id, place)
) STRICT, WITHOUT ROWID;
