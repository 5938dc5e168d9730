-- Secrets of activations that sign calls in place of their keys. They go with their activation, or once it is removed.

CREATE TABLE device_tokens (
    token_id      BLOB NOT NULL PRIMARY KEY CHECK (length(token_id) = 16),  -- random
    activation_id BLOB NOT NULL REFERENCES activations (activation_id) ON DELETE CASCADE,
    secret_sealed BLOB NOT NULL,
    factors       TEXT NOT NULL,     -- of the signature that made it, such as possession_knowledge
    created_at_ms INTEGER NOT NULL
) STRICT;

-- So that there is a bound for each activation, and tokens go with theirs.
CREATE INDEX device_tokens_of_activation ON device_tokens (activation_id, token_id);
