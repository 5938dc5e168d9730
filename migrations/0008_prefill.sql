-- Pre-Fill runs, and the runs that a person's own browser or phone drives with a flow token.

-- `product` of a session may be `identity` too: a Pre-Fill run without a challenge. A birth date and SSN that the request
-- brought stand in `subject_sealed`.

-- A record: the step last taken, and the challenges left. Set for Pre-Fill runs alone.
ALTER TABLE sessions ADD COLUMN prefill_check BLOB;
-- SHA-256 of the flow token, 128 random bits; set where the app surface started the session.
ALTER TABLE sessions ADD COLUMN flow_digest BLOB;

CREATE UNIQUE INDEX sessions_by_flow ON sessions (flow_digest) WHERE flow_digest IS NOT NULL;
