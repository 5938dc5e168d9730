-- Sessions and what hangs on them. All times are milliseconds since 1970 in UTC; all ids are the 16 bytes of a UUID
-- version 7, so that rows are added at the end of every index. A column `..._sealed` holds AES-256-GCM ciphertext bound
-- to table, column and row; `..._index` a keyed digest for look-up; `..._digest` a keyed digest that is only compared.

CREATE TABLE sessions (
    correlation_id      BLOB NOT NULL PRIMARY KEY CHECK (length(correlation_id) = 16),
    auth_id             BLOB NOT NULL UNIQUE CHECK (length(auth_id) = 16),
    client_id           TEXT NOT NULL,
    created_at_ms       INTEGER NOT NULL,
    expires_at_ms       INTEGER NOT NULL,

    -- The request; fixed for the session's life.
    flow                TEXT NOT NULL,     -- mobile, desktop, none
    product             TEXT NOT NULL,     -- unify, prefill
    allow_otp_retry     INTEGER NOT NULL,  -- 0 or 1, as the next four
    rebind              INTEGER NOT NULL,
    check_reputation    INTEGER NOT NULL,
    mobile_auth         INTEGER NOT NULL,
    allow_phone_change  INTEGER NOT NULL,
    wanted_device_id    BLOB,              -- set when only this key may answer
    final_target_url    TEXT,
    message_template    TEXT,              -- set when the tenant has its own wording
    client_request_id   TEXT,              -- the tenant's own names; not to hold personal data
    client_customer_id  TEXT,
    client_human_id     TEXT,

    -- Every number, address and IP of the session in one record: claimed, entered, proven. Set while there is any.
    subject_sealed      BLOB,

    -- The state.
    phase               TEXT NOT NULL,     -- created, active, done
    step                TEXT,              -- set while active
    outcome             TEXT,              -- set once done
    ended_at_ms         INTEGER,           -- set once done
    revision            INTEGER NOT NULL,  -- grows by one per change
    binding             TEXT NOT NULL,     -- unbound, bearer, key
    binding_thumbprint  BLOB,              -- set when bound to a key

    -- What the client declared at the first redeem; `platform` and the next three are set from then on.
    platform            TEXT,
    declared_device_key INTEGER,
    cellular            TEXT,
    test_mode           INTEGER,
    fallback            TEXT,              -- set when the client has one
    app_hash            TEXT,              -- set for an Android app that named one

    device_state                   TEXT NOT NULL,     -- absent, challenged, pending, recognized, mismatch
    device_challenge               BLOB,              -- set while challenged
    device_challenge_expires_at_ms INTEGER,           -- set while challenged
    pending_thumbprint             BLOB,              -- set while pending
    pending_public_key             BLOB,              -- x and y, 32 bytes each; set while pending
    shown_device_id                BLOB,              -- set when recognized or mismatch
    device_challenges_left         INTEGER NOT NULL,
    device_retired                 TEXT,              -- set once a shown key was retired: revoked, inactive

    otp_state           TEXT NOT NULL,     -- idle, waiting, passed, failed
    otp_digest          BLOB,              -- set while waiting, and erased with the state
    otp_expires_at_ms   INTEGER,           -- set while waiting
    otp_code_length     INTEGER NOT NULL,
    otp_attempts_left   INTEGER NOT NULL,
    otp_sends_left      INTEGER NOT NULL,
    otp_entries_left    INTEGER NOT NULL,

    bind_tries_left     INTEGER NOT NULL,
    proof_method        TEXT,              -- set once a number is proven; the number is in `subject_sealed`
    proven_at_ms        INTEGER,           -- set once a number is proven
    device_id           BLOB,              -- set when a success has a bound key
    prove_id            BLOB,              -- set once a number is proven
    event_count         INTEGER NOT NULL,  -- rows in session_events

    CHECK ((otp_digest IS NOT NULL) = (otp_state = 'waiting')),
    CHECK ((proof_method IS NULL) = (proven_at_ms IS NULL))
) STRICT;

-- For the sweeper: digests whose session has expired unnoticed.
CREATE INDEX sessions_awaiting_code ON sessions (expires_at_ms) WHERE otp_digest IS NOT NULL;

-- The timeline of a session.
CREATE TABLE session_events (
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    number         INTEGER NOT NULL,  -- from 0, in order
    kind           TEXT NOT NULL,
    at_ms          INTEGER NOT NULL,
    detail         TEXT,              -- from a fixed vocabulary, or a masked number
    PRIMARY KEY (correlation_id, number)
) STRICT, WITHOUT ROWID;

-- DPoP proofs that were used; each may be used once a session.
CREATE TABLE used_proofs (
    auth_id    BLOB NOT NULL REFERENCES sessions (auth_id) ON DELETE CASCADE,
    jti_digest BLOB NOT NULL,  -- SHA-256 of the proof's own random id
    PRIMARY KEY (auth_id, jti_digest)
) STRICT, WITHOUT ROWID;

-- Answers kept for a retry of the same call.
CREATE TABLE replayed_answers (
    correlation_id      BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    path                TEXT NOT NULL,
    request_id          TEXT NOT NULL,
    status              INTEGER NOT NULL,  -- HTTP status
    body_sealed         BLOB NOT NULL,     -- the bytes that went out
    request_body_digest BLOB,              -- of the request that got the answer
    PRIMARY KEY (correlation_id, path, request_id)
) STRICT, WITHOUT ROWID;

-- Sends to, and wrong codes for, a number over all tenants and sessions, for 24 hours.
CREATE TABLE number_history (
    id           INTEGER PRIMARY KEY,
    number_index BLOB NOT NULL,
    kind         TEXT NOT NULL,     -- send, wrong_code
    at_ms        INTEGER NOT NULL
) STRICT;

CREATE INDEX number_history_by_number ON number_history (number_index, at_ms);

-- One row, written to find out whether a write succeeds.
CREATE TABLE probes (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    writes INTEGER NOT NULL
) STRICT;
