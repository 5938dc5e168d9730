-- Keys that the apps of an API client are built with (device activation): those of now, and those of apps from before.
CREATE TABLE application_keys (
    application_key   BLOB PRIMARY KEY CHECK (length(application_key) = 16),  -- public
    client_id         TEXT NOT NULL,
    keys_sealed       BLOB NOT NULL,     -- application secret and master private key
    master_public_key BLOB NOT NULL CHECK (length(master_public_key) = 64),  -- x and y on P-256
    is_configured     INTEGER NOT NULL,  -- from the configuration file of a sandbox
    ends_at_ms        INTEGER            -- set once other keys are in their place
) STRICT, WITHOUT ROWID;

-- One ring for an API client: current keys, and one set before them.
CREATE UNIQUE INDEX application_keys_current ON application_keys (client_id) WHERE ends_at_ms IS NULL;
CREATE UNIQUE INDEX application_keys_previous ON application_keys (client_id) WHERE ends_at_ms IS NOT NULL;
