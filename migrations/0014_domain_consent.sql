-- Links between tenants once more: every set of scopes that one asks another for is a request of its own, so that nothing
-- replaces what the other side was shown. Links of before are dropped: what was agreed to need not be what was shown.

DROP TABLE domain_links;

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
