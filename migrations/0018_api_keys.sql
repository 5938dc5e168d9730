-- Keys that name tenants: of backends (api) and of SDKs in apps (sdk). Their texts are not kept.
CREATE TABLE api_keys (
    key_digest    BLOB PRIMARY KEY CHECK (length(key_digest) = 32),  -- keyed digest of the text
    key_id        BLOB NOT NULL CHECK (length(key_id) = 16),
    client_id     TEXT NOT NULL,
    kind          TEXT NOT NULL,     -- api, sdk
    name          TEXT NOT NULL,     -- for operators
    ending        TEXT NOT NULL,     -- the last four characters of the text
    is_configured INTEGER NOT NULL,  -- from the configuration file of a sandbox
    created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_by_id ON api_keys (key_id);
CREATE INDEX api_keys_by_client ON api_keys (client_id, created_at_ms);
