-- What a tenant says of a session or an identity is sealed with it: its own names of call, customer and person, target
-- pages, message texts, device ids. SQL cannot seal what stood in the clear, so it goes: sessions, which live for minutes,
-- and the references of identities, which the next enrolment brings again. Attributes stay.

DELETE FROM sessions;

ALTER TABLE sessions DROP COLUMN wanted_device_id;
ALTER TABLE sessions DROP COLUMN final_target_url;
ALTER TABLE sessions DROP COLUMN message_template;
ALTER TABLE sessions DROP COLUMN client_request_id;
ALTER TABLE sessions DROP COLUMN client_customer_id;
ALTER TABLE sessions DROP COLUMN client_human_id;
ALTER TABLE sessions DROP COLUMN shown_device_id;
ALTER TABLE sessions DROP COLUMN device_id;
ALTER TABLE sessions DROP COLUMN auth_terms;

-- `attributes_sealed` is a record of the references and the attributes now; without references as before.
ALTER TABLE identities DROP COLUMN client_customer_id;
ALTER TABLE identities DROP COLUMN client_human_id;
ALTER TABLE identities DROP COLUMN device_id;

-- For the sweeper: digests of codes that have expired. It writes x'' over them, which no code has.
DROP INDEX sessions_awaiting_code;
CREATE INDEX sessions_awaiting_code ON sessions (otp_expires_at_ms) WHERE otp_digest <> x'';
