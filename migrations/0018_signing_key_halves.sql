-- A signing key that can never sign again keeps its public half only, until the last token it signed has expired. Then its row goes.

CREATE TABLE signing_key_halves (
    kid                TEXT NOT NULL PRIMARY KEY,  -- RFC 7638 thumbprint of the public half, base64url
    purpose            TEXT NOT NULL,              -- auth, access, assertion
    created_at_ms      INTEGER NOT NULL,
    activates_at_ms    INTEGER NOT NULL,           -- from when it signs; published before
    private_key_sealed BLOB,                       -- set while it may sign
    public_key_sealed  BLOB,                       -- set from then on: 64 bytes, x and y
    CHECK ((private_key_sealed IS NULL) <> (public_key_sealed IS NULL))
) STRICT;

INSERT INTO signing_key_halves (kid, purpose, created_at_ms, activates_at_ms, private_key_sealed)
    SELECT kid, purpose, created_at_ms, activates_at_ms, private_key_sealed FROM signing_keys;

DROP TABLE signing_keys;

ALTER TABLE signing_key_halves RENAME TO signing_keys;
