-- The customers whose backends call us, and the numbers they have proven.

CREATE TABLE tenants (
    client_id             TEXT NOT NULL PRIMARY KEY,
    allow_phone_change    INTEGER NOT NULL,  -- 0 or 1
    mobile_auth           INTEGER NOT NULL,  -- 0 or 1
    any_final_target_host INTEGER NOT NULL,  -- 0 or 1
    final_target_hosts    TEXT NOT NULL,     -- one a line, as the next two; empty when none
    allowed_origins       TEXT NOT NULL,
    app_hashes            TEXT NOT NULL,
    secret_digest         BLOB,              -- set while a secret is valid
    other_secret_digest   BLOB,              -- set while one secret replaces another
    created_at_ms         INTEGER NOT NULL,
    revoked_at_ms         INTEGER            -- set from the moment the tenant may no longer call
) STRICT;

-- One row for each number of each tenant that was ever proven.
CREATE TABLE identities (
    prove_id      BLOB NOT NULL PRIMARY KEY CHECK (length(prove_id) = 16),
    client_id     TEXT NOT NULL,
    number_index  BLOB NOT NULL,
    number_sealed BLOB NOT NULL,
    UNIQUE (client_id, number_index)
) STRICT;
