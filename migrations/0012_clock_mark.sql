-- A moment that no time told so far is after: where a start begins, so that time does not run back over a restart. One row.

CREATE TABLE clock_mark (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    at_ms  INTEGER NOT NULL
) STRICT;

-- Bytes that a probe writes after the disk was full, to see whether there is room again.
ALTER TABLE probes ADD COLUMN filler BLOB;
