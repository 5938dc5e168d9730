-- Keys that sign tokens. None is ever removed: a retired key still names the tokens it signed.

CREATE TABLE signing_keys (
    kid                TEXT NOT NULL PRIMARY KEY,  -- RFC 7638 thumbprint of the public half, base64url
    purpose            TEXT NOT NULL,              -- auth, access
    created_at_ms      INTEGER NOT NULL,
    activates_at_ms    INTEGER NOT NULL,           -- from when it signs; published before
    private_key_sealed BLOB NOT NULL
) STRICT;
