-- Device keys once more: those of a number can be found, so that they can be erased with it, and what is personal in a key
-- is sealed. Digests and seals cannot be made in SQL, so keys bound before are dropped: the device binds one again with its
-- next proof.

DROP TABLE device_keys;

CREATE TABLE device_keys (
    device_index    BLOB NOT NULL PRIMARY KEY,  -- of the device id
    client_id       TEXT NOT NULL,
    thumbprint      BLOB NOT NULL CHECK (length(thumbprint) = 32),  -- RFC 7638
    public_key      BLOB NOT NULL CHECK (length(public_key) = 64),  -- x and y on P-256
    platform        TEXT NOT NULL,     -- web, android, ios
    created_at_ms   INTEGER NOT NULL,
    number_index    BLOB NOT NULL,
    -- A record: device id, number, and the tenant's names of customer and person in the session that bound it last.
    key_sealed      BLOB NOT NULL,
    status          TEXT NOT NULL,     -- active, revoked
    bound_at_ms     INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL,
    revoked_at_ms   INTEGER,           -- set when revoked
    UNIQUE (client_id, thumbprint)
) STRICT;

CREATE INDEX device_keys_by_number ON device_keys (number_index);
