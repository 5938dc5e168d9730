-- Key pairs on devices, each tied to the number it proved.

CREATE TABLE device_keys (
    device_id          BLOB NOT NULL PRIMARY KEY CHECK (length(device_id) = 16),
    client_id          TEXT NOT NULL,
    thumbprint         BLOB NOT NULL CHECK (length(thumbprint) = 32),  -- RFC 7638
    public_key         BLOB NOT NULL CHECK (length(public_key) = 64),  -- x and y on P-256
    platform           TEXT NOT NULL,     -- web, android, ios
    created_at_ms      INTEGER NOT NULL,
    number_sealed      BLOB NOT NULL,
    status             TEXT NOT NULL,     -- active, revoked
    bound_at_ms        INTEGER NOT NULL,
    last_used_at_ms    INTEGER NOT NULL,
    revoked_at_ms      INTEGER,           -- set when revoked
    client_customer_id TEXT,              -- of the session that bound it last
    client_human_id    TEXT,
    UNIQUE (client_id, thumbprint)
) STRICT;
