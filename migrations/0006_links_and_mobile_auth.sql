-- Instant links and Mobile Auth: their state in a session, what finds the session, and what a tenant may say of them.

-- Codes and links share one budget.
ALTER TABLE sessions RENAME COLUMN otp_sends_left TO sends_left;
ALTER TABLE sessions RENAME COLUMN otp_entries_left TO entries_left;

-- Of the request and of the declaration, fixed as all of theirs is. The flags are 0 or 1.
ALTER TABLE sessions ADD COLUMN link_match_code INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN link_same_address INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN mobile_auth_return_url TEXT;

-- Each check in one record: nearly every session has neither, and pays for two NULLs instead of for fifteen. A record
-- is a version byte, then each field as its length in two bytes, most significant first (0xFFFF: absent), and its
-- bytes. What is personal or secret in a check, such as a number or the match code, stands in `subject_sealed`.
-- `link_check` is set from the first link on: state, digest of the newest link, when it was sent, until when the page
-- waits, then the end of a waiting link or the reason of a failed one.
ALTER TABLE sessions ADD COLUMN link_check BLOB;
-- `mobile_auth_check` is set while the check is planned: state, attempts left, the newest attempt, then what the state
-- carries.
ALTER TABLE sessions ADD COLUMN mobile_auth_check BLOB;
-- A record of code and text by turns; set when the number's standing made a passed check a failure.
ALTER TABLE sessions ADD COLUMN risk_reasons BLOB;

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

ALTER TABLE tenants ADD COLUMN display_name TEXT;   -- set when people are told another name than the client id
ALTER TABLE tenants ADD COLUMN message_host TEXT;   -- set when codes are typed into a page of another host than ours
ALTER TABLE tenants ADD COLUMN link_match_code INTEGER NOT NULL DEFAULT 0;    -- 0 or 1
ALTER TABLE tenants ADD COLUMN link_same_address INTEGER NOT NULL DEFAULT 0;  -- 0 or 1
-- Country calling codes that messages may go to, one a line; empty: any.
ALTER TABLE tenants ADD COLUMN calling_codes TEXT NOT NULL DEFAULT '';
-- Pages that Mobile Auth may come back to, one a line.
ALTER TABLE tenants ADD COLUMN mobile_auth_return_urls TEXT NOT NULL DEFAULT '';

-- `purpose` of `signing_keys` may be `assertion` too: what this server shows an operator.
