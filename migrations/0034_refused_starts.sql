-- Calls that were to start a session and started none: their tenant finds them by the id that it was answered.

CREATE TABLE refused_starts (
    correlation_id BLOB NOT NULL PRIMARY KEY CHECK (length(correlation_id) = 16),  -- tells when it was
    client_id      TEXT NOT NULL,
    product        TEXT NOT NULL,
    number_index   BLOB NOT NULL,  -- keyed digest of the number
    reason         TEXT NOT NULL,  -- in the words of the surface that was called
    start_sealed   BLOB NOT NULL   -- the number, the caller's own name of the call, the person's address
) STRICT, WITHOUT ROWID;

CREATE INDEX refused_starts_of_client ON refused_starts (client_id, product, correlation_id);

CREATE INDEX refused_starts_of_number ON refused_starts (number_index, client_id, product, correlation_id);
