-- Runs of the calls below /v1/server/auth: `product` of their sessions is `auth`.

-- A record as link_check is one (0006): which subjects and authenticators the request names, with their message texts,
-- whether the number may change, how old a key may be, and the caller's id of the person. Set for these runs alone.
ALTER TABLE sessions ADD COLUMN auth_terms BLOB;
-- A record: when the key of such a run had been bound, and whether the caller's id of the person was the one kept with it.
ALTER TABLE sessions ADD COLUMN key_finding BLOB;
