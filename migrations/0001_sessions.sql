-- Sessions and what hangs on them. All times are milliseconds since 1970 in UTC; all ids are the 16 bytes of a UUID
-- version 7, so that rows are added at the end of every index. A column `..._sealed` holds AES-256-GCM ciphertext bound
-- to table, column and row; `..._index` a keyed digest for look-up; `..._digest` a digest that is only compared.

-- A session is one sealed record, and the columns that are searched.
CREATE TABLE sessions (
    correlation_id    BLOB NOT NULL PRIMARY KEY CHECK (length(correlation_id) = 16),
    auth_id           BLOB NOT NULL UNIQUE CHECK (length(auth_id) = 16),
    client_id         TEXT NOT NULL,
    flow_digest       BLOB,           -- set where a person's own browser or phone drives the run
    phase             TEXT NOT NULL,  -- created, active, done; for the sweep of those that nobody redeemed
    number_index      BLOB,           -- of the number the session was started for, where it is found by that
    otp_digest        BLOB,           -- of the codes that are taken, the newest first; set while waiting, x'' once swept
    otp_expires_at_ms INTEGER,        -- set while a code is awaited or was told to be late
    record_sealed     BLOB NOT NULL   -- all else: `SessionRecord`
) STRICT;

CREATE UNIQUE INDEX sessions_by_flow ON sessions (flow_digest) WHERE flow_digest IS NOT NULL;
-- The newest session of a tenant for a number.
CREATE INDEX sessions_by_number ON sessions (number_index, client_id, correlation_id) WHERE number_index IS NOT NULL;
-- For the sweeper: digests of codes that have expired. It writes x'' over them, which no code has.
CREATE INDEX sessions_awaiting_code ON sessions (otp_expires_at_ms) WHERE otp_digest <> x'';

-- The timeline of a session.
CREATE TABLE session_events (
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    number         INTEGER NOT NULL,  -- from 0, in order
    kind           TEXT NOT NULL,
    at_ms          INTEGER NOT NULL,
    detail         TEXT,              -- from a fixed vocabulary, or a masked number
    PRIMARY KEY (correlation_id, number)
) STRICT, WITHOUT ROWID;

-- DPoP proofs that were used; each may be used once a session. One that is too old to be taken again is not kept.
CREATE TABLE used_proofs (
    auth_id        BLOB NOT NULL REFERENCES sessions (auth_id) ON DELETE CASCADE,
    jti_digest     BLOB NOT NULL,     -- SHA-256 of the proof's own random id
    valid_until_ms INTEGER NOT NULL,
    PRIMARY KEY (auth_id, jti_digest)
) STRICT, WITHOUT ROWID;

-- What calls came to, kept for a retry of the same call.
CREATE TABLE replayed_replies (
    correlation_id      BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    path                TEXT NOT NULL,
    request_id          TEXT NOT NULL,
    reply_sealed        BLOB NOT NULL,     -- refusal and state, as a record
    request_body_digest BLOB NOT NULL,     -- of the call
    PRIMARY KEY (correlation_id, path, request_id)
) STRICT, WITHOUT ROWID;

-- Messages to phones, stored with the change that promises them (DUR-14). A settled one keeps nothing but its state.
CREATE TABLE messages (
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    message_id     BLOB NOT NULL CHECK (length(message_id) = 16),  -- carriers get it as idempotency key
    state          TEXT NOT NULL,     -- queued, sent, failed, expired
    holder         INTEGER,           -- set while queued and in the hands of a process: the number of that process
    message_sealed BLOB,              -- set while queued: number, code or link, and how to give it back, as a record
    PRIMARY KEY (correlation_id, message_id),
    CHECK ((state = 'queued') = (message_sealed IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX messages_queued ON messages (message_id) WHERE state = 'queued';

-- Every link a session sent, also the superseded ones.
CREATE TABLE session_links (
    token_digest   BLOB NOT NULL PRIMARY KEY,  -- SHA-256 of the link's token, 128 random bits
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX session_links_by_session ON session_links (correlation_id);

-- Every Mobile Auth attempt of a session, also the void ones.
CREATE TABLE mobile_auth_attempts (
    attempt_id     BLOB NOT NULL PRIMARY KEY CHECK (length(attempt_id) = 16),
    correlation_id BLOB NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX mobile_auth_attempts_by_session ON mobile_auth_attempts (correlation_id);
