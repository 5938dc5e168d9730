-- Apps on phones that hold keys which they agreed on with this server, each of a number or an address that was proven.

CREATE TABLE activations (
    activation_id   BLOB NOT NULL PRIMARY KEY CHECK (length(activation_id) = 16),
    client_id       TEXT NOT NULL,
    application_key TEXT,              -- names the keys that the app was built with; none after a plain call
    correlation_id  BLOB NOT NULL,     -- of the session that made it, which goes earlier
    target_index    BLOB NOT NULL,     -- of the number or address
    details_sealed  BLOB NOT NULL,     -- a record of number or address, name, platform, device, and flags
    keys_sealed     BLOB NOT NULL,     -- never changes
    counter_sealed  BLOB NOT NULL,     -- of signatures: each one that matches replaces it
    status          TEXT NOT NULL,     -- active, blocked, removed
    reason          TEXT,              -- set while it is not active
    status_at_ms    INTEGER NOT NULL,
    failed_attempts INTEGER NOT NULL DEFAULT 0 CHECK (failed_attempts BETWEEN 0 AND 5),  -- signatures in a row
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER,           -- set once a signature has matched
    CHECK ((status = 'active') = (reason IS NULL))
) STRICT;

-- So that the activations of a number are listed, and erased with it.
CREATE INDEX activations_by_target ON activations (target_index, activation_id);
CREATE INDEX activations_of_client ON activations (client_id, activation_id);
-- Whose answer may have been lost.
CREATE INDEX activations_unused ON activations (activation_id) WHERE last_used_at_ms IS NULL AND status <> 'removed';
CREATE INDEX activations_removed ON activations (status_at_ms) WHERE status = 'removed';
