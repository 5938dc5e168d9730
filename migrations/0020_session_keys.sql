-- All that sessions are found by beside their two ids: one table in place of two tables and two columns. A kind of key
-- that comes later needs neither. `sessions.number_product` stays, for `sessions_of_product`: the list of a tenant and a
-- product is read along an index, and one on `session_keys` would cost a new session more.

CREATE TABLE session_keys (
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    kind           TEXT NOT NULL,     -- link, attempt, flow, target, or a word of the surface that finds sessions by it
    key_digest     BLOB NOT NULL,     -- a digest, the blind index of a number or address, or a random id
    is_shared      INTEGER NOT NULL,  -- 1: sessions of one tenant and product may have it, 0: one session has it
    client_id      TEXT NOT NULL,     -- of the session
    product        TEXT,              -- of the session; NULL in keys of before, which are not shared
    PRIMARY KEY (correlation_id, kind, key_digest),
    CHECK (is_shared = 0 OR product IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A key is in one of the two. The digest comes first, because it alone tells most keys apart.
CREATE UNIQUE INDEX session_keys_of_one ON session_keys (key_digest, kind) WHERE is_shared = 0;
-- The newest session of a tenant and a product.
CREATE INDEX session_keys_shared ON session_keys (key_digest, kind, client_id, product, correlation_id)
  WHERE is_shared = 1;

INSERT INTO session_keys (correlation_id, kind, key_digest, is_shared, client_id, product)
  SELECT correlation_id, 'target', number_index, 1, client_id, number_product FROM sessions
    WHERE number_index IS NOT NULL AND number_product IS NOT NULL;
INSERT INTO session_keys (correlation_id, kind, key_digest, is_shared, client_id, product)
  SELECT correlation_id, 'flow', flow_digest, 0, client_id, number_product FROM sessions WHERE flow_digest IS NOT NULL;
INSERT INTO session_keys (correlation_id, kind, key_digest, is_shared, client_id, product)
  SELECT s.correlation_id, 'link', l.token_digest, 0, s.client_id, s.number_product
    FROM session_links l JOIN sessions s ON s.correlation_id = l.correlation_id;
INSERT INTO session_keys (correlation_id, kind, key_digest, is_shared, client_id, product)
  SELECT s.correlation_id, 'attempt', a.attempt_id, 0, s.client_id, s.number_product
    FROM mobile_auth_attempts a JOIN sessions s ON s.correlation_id = a.correlation_id;

DROP TABLE session_links;
DROP TABLE mobile_auth_attempts;
DROP INDEX sessions_by_flow;
DROP INDEX sessions_by_number;
ALTER TABLE sessions DROP COLUMN flow_digest;
ALTER TABLE sessions DROP COLUMN number_index;
