-- The identities that tenants manage, and the links between tenants that let them see one another's.

-- What unify proves has a row and a `prove_id`; an identity it is from its enrolment on.
ALTER TABLE identities ADD COLUMN enrolled_at_ms INTEGER;     -- set once enrolled
ALTER TABLE identities ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1;  -- 0 or 1
ALTER TABLE identities ADD COLUMN client_customer_id TEXT;    -- the tenant's own names; not to hold personal data
ALTER TABLE identities ADD COLUMN client_human_id TEXT;
ALTER TABLE identities ADD COLUMN device_id BLOB;             -- set when the tenant named one
-- A record: how many attributes, then name and value of each. Set while there is any.
ALTER TABLE identities ADD COLUMN attributes_sealed BLOB;

CREATE INDEX identities_enrolled ON identities (client_id, prove_id) WHERE enrolled_at_ms IS NOT NULL;

-- The name of each tenant towards other tenants, from the moment it is first asked for. Apart from `tenants`, whose rows
-- are replaced at a start.
CREATE TABLE domains (
    client_id TEXT NOT NULL PRIMARY KEY,
    pcid      BLOB NOT NULL UNIQUE CHECK (length(pcid) = 16)
) STRICT;

-- One row from the request of a link until either side takes it back.
CREATE TABLE domain_links (
    from_client_id  TEXT NOT NULL,     -- who asked
    to_client_id    TEXT NOT NULL,
    scopes          TEXT NOT NULL,     -- one a line; empty when none
    requested_at_ms INTEGER NOT NULL,
    accepted_at_ms  INTEGER,           -- set once the other side has agreed
    PRIMARY KEY (from_client_id, to_client_id),
    CHECK (from_client_id <> to_client_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX domain_links_by_target ON domain_links (to_client_id);
