-- The customers whose backends call us, and what they agreed to among each other.

CREATE TABLE tenants (
    client_id               TEXT NOT NULL PRIMARY KEY,
    display_name            TEXT,              -- set when people are told another name than the client id
    message_host            TEXT,              -- set when codes are typed into a page of another host than ours
    allow_phone_change      INTEGER NOT NULL,  -- 0 or 1, as the next four
    mobile_auth             INTEGER NOT NULL,
    any_final_target_host   INTEGER NOT NULL,
    link_match_code         INTEGER NOT NULL,
    link_same_address       INTEGER NOT NULL,
    final_target_hosts      TEXT NOT NULL,     -- one a line, as the next four; empty when none
    allowed_origins         TEXT NOT NULL,
    app_hashes              TEXT NOT NULL,
    calling_codes           TEXT NOT NULL,     -- country calling codes that messages may go to; empty: any
    mobile_auth_return_urls TEXT NOT NULL,     -- pages that Mobile Auth may come back to
    secret_digest           BLOB,              -- set while a secret is valid
    other_secret_digest     BLOB,              -- set while one secret replaces another
    other_secret_until_ms   INTEGER,           -- set while `other_secret_digest` is to end
    created_at_ms           INTEGER NOT NULL,
    revoked_at_ms           INTEGER            -- set from the moment the tenant may no longer call
) STRICT;

-- The name of each tenant towards other tenants, from the moment it is first asked for. Apart from `tenants`, whose rows
-- are replaced at a start.
CREATE TABLE domains (
    client_id TEXT NOT NULL PRIMARY KEY,
    pcid      BLOB NOT NULL UNIQUE CHECK (length(pcid) = 16)
) STRICT;

-- Links between tenants. Every set of scopes that one asks another for is a request of its own, so that nothing replaces
-- what the other side was shown.
CREATE TABLE domain_links (
    from_client_id  TEXT NOT NULL,     -- who asked
    to_client_id    TEXT NOT NULL,
    number          INTEGER NOT NULL,  -- grows with each request of the two
    scopes          TEXT NOT NULL,     -- one a line; empty when none
    state           TEXT NOT NULL,     -- waiting, again (waiting once more after it was taken back), standing, withdrawn
    requested_at_ms INTEGER NOT NULL,
    accepted_at_ms  INTEGER,           -- set while standing
    PRIMARY KEY (from_client_id, to_client_id, number),
    CHECK (from_client_id <> to_client_id),
    CHECK ((state = 'standing') = (accepted_at_ms IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX domain_links_by_target ON domain_links (to_client_id);
