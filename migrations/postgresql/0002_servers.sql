-- Several servers on one database.

-- A server raises `alive_until_ms` twice a second, by the clock of the database. Another server removes one that does not, and with it
-- its lanes: from then on it changes nothing.
ALTER TABLE servers
    ADD COLUMN alive_until_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN caches_seen    bigint; -- sum of the versions in `cache_versions` that it has followed; NULL: it has no caches yet

-- The parts of the data that each server keeps in memory. A change of a part raises its version. A server that finds another version
-- reads the part again.
CREATE TABLE cache_versions (
    part    text COLLATE "C" NOT NULL PRIMARY KEY,
    version bigint NOT NULL
) WITH (fillfactor = 20);

INSERT INTO cache_versions (part, version)
    VALUES ('api_keys', 0), ('application_keys', 0), ('closed_prefixes', 0), ('keysets', 0), ('listed_numbers', 0),
           ('signing_keys', 0), ('tenants', 0), ('test_numbers', 0), ('webhook_endpoints', 0);

-- Work that one server does for all. A server keeps a duty until its row in `servers` is removed.
CREATE TABLE duties (
    name   text COLLATE "C" NOT NULL PRIMARY KEY,
    server bigint NOT NULL REFERENCES servers (number) ON DELETE CASCADE
);
