-- Proofs that are too old to be taken again need not be kept: a session's bound is one on those that are valid. Proofs of
-- before have no known end, and go with their session.
ALTER TABLE used_proofs ADD COLUMN valid_until_ms INTEGER NOT NULL DEFAULT 9223372036854775807;
