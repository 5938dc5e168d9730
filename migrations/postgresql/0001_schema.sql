-- The schema for PostgreSQL 15 or newer: the tables that the SQLite migrations 0001 to 0035 end in. Tables and columns have the same
-- names, and each value has the same bytes, so that rows can be copied from one to the other. `scripts/check-sql` compares the two.
--
-- All times are milliseconds since 1970 in UTC. An id is the 16 bytes of a UUID version 7, so rows are added at the end of each index.
-- A column `..._sealed` holds AES-256-GCM ciphertext bound to table, column and row; `..._index` a keyed digest for look-up;
-- `..._digest` a digest that is only compared. A table of one row has a `number` that is 1. A flag is 0 or 1, as in SQLite.
--
-- Differences from SQLite:
-- - Texts in keys and indexes are sorted by bytes (COLLATE "C"). Others are only stored or compared with a word.
-- - Sealed values cannot be compressed, so PostgreSQL does not try (STORAGE EXTERNAL).
-- - Rows that each call changes have free room in their pages (fillfactor), so that a change can keep them in the page and touch no
--   index (HOT). For the same reason columns that each change writes have no index where a look through the table costs less.
-- - The tables of SQLite's own care are missing: `clock_mark`, `commit_mark`, `probes`, `integrity_check`. So is `sandbox_clock`:
--   a sandbox uses SQLite.

-- What this database is. `holdfast database migrate` writes the row with the first migration.
CREATE TABLE installation (
    number            bigint NOT NULL PRIMARY KEY CHECK (number = 1),
    mode              text NOT NULL,    -- live
    system_identifier bigint NOT NULL,  -- of the PostgreSQL cluster; another one is another database
    schema            bigint NOT NULL,  -- number of the last migration
    level             bigint NOT NULL,  -- tells which versions of records are written: those that all live servers can read
    has_started       bigint NOT NULL   -- 1 from the first start of a server on
);

-- One row for each lane of a server: a thread with one connection. Each transaction that writes raises `batch` of its lane. After a
-- connection was lost, a new `epoch` shuts out what the old one still had under way, and `batch` tells whether it was stored.
CREATE TABLE lanes (
    server bigint NOT NULL,
    lane   bigint NOT NULL,
    epoch  bigint NOT NULL,
    batch  bigint NOT NULL,
    PRIMARY KEY (server, lane)
) WITH (fillfactor = 20);

-- Sessions and what belongs to them.

-- A session is one sealed record, and the columns that are searched. There is no index on `otp_expires_at_ms`: the sweep of expired
-- codes looks through the sessions that are young enough to have one, by their id.
CREATE TABLE sessions (
    correlation_id    bytea NOT NULL PRIMARY KEY CHECK (length(correlation_id) = 16),
    auth_id           bytea NOT NULL UNIQUE CHECK (length(auth_id) = 16),
    client_id         text COLLATE "C" NOT NULL,
    phase             text NOT NULL,      -- created, active, done; for the sweep of those that were never redeemed
    otp_digest        bytea,              -- of the valid codes, the newest first; set while waiting, empty once swept
    otp_expires_at_ms bigint,             -- set while a code is awaited, or its lateness has been reported
    record_sealed     bytea NOT NULL,     -- all else: `SessionRecord`
    number_product    text COLLATE "C",   -- the product of the session; set where a number or an address finds the session
    webhook_sequence  bigint              -- set once events were removed: the highest number of those
) WITH (fillfactor = 70);
ALTER TABLE sessions ALTER record_sealed SET STORAGE EXTERNAL;

-- The sessions of a tenant and a product, for those that are found by their number.
CREATE INDEX sessions_of_product ON sessions (client_id, number_product, correlation_id) WHERE number_product IS NOT NULL;

-- All that sessions are found by beside their two ids.
CREATE TABLE session_keys (
    correlation_id bytea NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    kind           text COLLATE "C" NOT NULL,  -- link, attempt, flow, target, or a word of the surface that finds sessions by it
    key_digest     bytea NOT NULL,             -- a digest, the blind index of a number or address, or a random id
    is_shared      bigint NOT NULL,            -- 1: sessions of one tenant and product may have it, 0: one session has it
    client_id      text COLLATE "C" NOT NULL,  -- of the session
    product        text COLLATE "C",           -- of the session; set where the key is shared
    PRIMARY KEY (correlation_id, kind, key_digest),
    CHECK (is_shared = 0 OR product IS NOT NULL)
);

-- A key is in one of the two. The digest comes first, because it tells most keys apart without the others.
CREATE UNIQUE INDEX session_keys_of_one ON session_keys (key_digest, kind) WHERE is_shared = 0;
-- The newest session of a tenant and a product.
CREATE INDEX session_keys_shared ON session_keys (key_digest, kind, client_id, product, correlation_id) WHERE is_shared = 1;

-- The timeline of a session.
CREATE TABLE session_events (
    correlation_id bytea NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    number         bigint NOT NULL,  -- from 0, in order
    kind           text NOT NULL,
    at_ms          bigint NOT NULL,
    detail         text,             -- from a fixed vocabulary, or a masked number
    PRIMARY KEY (correlation_id, number)
);

-- DPoP proofs that were used; each may be used once a session. A proof that is too old to be taken again is not kept.
CREATE TABLE used_proofs (
    auth_id        bytea NOT NULL REFERENCES sessions (auth_id) ON DELETE CASCADE,
    jti_digest     bytea NOT NULL,  -- SHA-256 of the proof's own random id
    valid_until_ms bigint NOT NULL,
    PRIMARY KEY (auth_id, jti_digest)
);

-- Results of calls, kept for a retry of the same call.
CREATE TABLE replayed_replies (
    correlation_id      bytea NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    path                text COLLATE "C" NOT NULL,
    request_id          text COLLATE "C" NOT NULL,
    reply_sealed        bytea NOT NULL,  -- refusal and state, as a record
    request_body_digest bytea NOT NULL,  -- of the call
    PRIMARY KEY (correlation_id, path, request_id)
);
ALTER TABLE replayed_replies ALTER reply_sealed SET STORAGE EXTERNAL;

-- Messages to phones, stored with the change that promises them (DUR-14).
CREATE TABLE messages (
    correlation_id     bytea NOT NULL REFERENCES sessions (correlation_id) ON DELETE CASCADE,
    message_id         bytea NOT NULL CHECK (length(message_id) = 16),  -- carriers get it as idempotency key
    state              text NOT NULL,  -- queued, sent, failed, expired
    holder             bigint,         -- set while queued and in the hands of a server: the number of that server
    message_sealed     bytea,          -- set while queued: number, code or link, and how to give it back, as a record
    gateway            text,           -- set when sent, where gateways have names: the one that took it
    carrier_message_id text,           -- set when sent, where the carrier gave one
    carrier_end        text,           -- set once known: delivered, undelivered, expired
    again_sealed       bytea,          -- set while sent, where another route is left: as message_sealed
    again_until_ms     bigint,         -- set with it: when its code or link expires
    channel            text,           -- set when sent, where the carrier names it: sms, voice, whatsapp
    refusals           text,           -- a line for each: gateway, channel, outcome, code, reason, tabs between them
    receipt_due_ms     bigint,         -- set when sent, where the gateway has a time; gone with the first receipt
    PRIMARY KEY (correlation_id, message_id),
    CHECK ((state = 'queued') = (message_sealed IS NOT NULL))
) WITH (fillfactor = 70);
ALTER TABLE messages ALTER message_sealed SET STORAGE EXTERNAL, ALTER again_sealed SET STORAGE EXTERNAL;

CREATE INDEX messages_queued ON messages (message_id) WHERE state = 'queued';
CREATE INDEX messages_again ON messages (again_until_ms) WHERE again_until_ms IS NOT NULL;
CREATE INDEX messages_receipt_due ON messages (receipt_due_ms) WHERE receipt_due_ms IS NOT NULL;

-- Calls that were to start a session and started none: their tenant finds them by the id in the answer.
CREATE TABLE refused_starts (
    correlation_id bytea NOT NULL PRIMARY KEY CHECK (length(correlation_id) = 16),  -- tells when it was
    client_id      text COLLATE "C" NOT NULL,
    product        text COLLATE "C" NOT NULL,
    number_index   bytea NOT NULL,
    reason         text NOT NULL,   -- in the words of the surface that was called
    start_sealed   bytea NOT NULL   -- the number, the caller's own name of the call, the person's address
);
ALTER TABLE refused_starts ALTER start_sealed SET STORAGE EXTERNAL;

CREATE INDEX refused_starts_of_client ON refused_starts (client_id, product, correlation_id);
CREATE INDEX refused_starts_of_number ON refused_starts (number_index, client_id, product, correlation_id);

-- The customers whose backends call the server, and what they keep and agreed to among each other.

CREATE TABLE tenants (
    client_id               text COLLATE "C" NOT NULL PRIMARY KEY,
    display_name            text,             -- set when people see another name than the client id
    message_host            text,             -- set when codes are typed into a page of another host than the server's
    allow_phone_change      bigint NOT NULL,  -- a flag, as the next four
    mobile_auth             bigint NOT NULL,
    any_final_target_host   bigint NOT NULL,
    link_match_code         bigint NOT NULL,
    link_same_address       bigint NOT NULL,
    final_target_hosts      text NOT NULL,    -- one a line, as the next four; empty when none
    allowed_origins         text NOT NULL,
    app_hashes              text NOT NULL,
    calling_codes           text NOT NULL,    -- country calling codes that messages may go to; empty: any
    mobile_auth_return_urls text NOT NULL,    -- pages that Mobile Auth may come back to
    secret_digest           bytea,            -- set while a secret is valid
    other_secret_digest     bytea,            -- set while one secret replaces another
    other_secret_until_ms   bigint,           -- set while `other_secret_digest` is to end
    created_at_ms           bigint NOT NULL,
    revoked_at_ms           bigint,           -- set from the moment the tenant may no longer call
    locale                  text,             -- language of messages to people who name none; set when it is not that of the texts
    public_keys             text NOT NULL DEFAULT '',  -- that the client signs with: x and y on P-256 in hexadecimal, one key a line
    least_code_digits       bigint CHECK (least_code_digits BETWEEN 4 AND 6),  -- set where it may have fewer than otp.codeLength
    statement_audiences     text NOT NULL DEFAULT '',  -- one a line; empty: any that is not this server or an operator
    -- Limits that an operator gave the client, in the place of the server's. NULL: the server's own.
    requests_per_second     bigint CHECK (requests_per_second BETWEEN 0 AND 1000000),  -- 0: any number
    budget_per_day          bigint CHECK (budget_per_day BETWEEN 0 AND 200000),        -- 0: as much as the server's budget allows
    unanswered_per_network  bigint CHECK (unanswered_per_network BETWEEN 0 AND 100000),  -- 0: any number, as the next two
    unanswered_per_prefix   bigint CHECK (unanswered_per_prefix BETWEEN 0 AND 100000),
    unanswered_per_country  bigint CHECK (unanswered_per_country BETWEEN 0 AND 1000000),
    line_types              text,             -- lines that its messages may go to, one a line
    smart_channels          text NOT NULL DEFAULT '',  -- channels in the order of tries, one a line; empty: no order of its own
    seconds_per_channel     bigint CHECK (seconds_per_channel BETWEEN 5 AND 600)  -- NULL: 20
);

-- Keys that name tenants: of backends (api) and of SDKs in apps (sdk). Their texts are not kept.
CREATE TABLE api_keys (
    key_digest    bytea NOT NULL PRIMARY KEY CHECK (length(key_digest) = 32),  -- keyed digest of the text
    key_id        bytea NOT NULL CHECK (length(key_id) = 16),
    client_id     text COLLATE "C" NOT NULL,
    kind          text NOT NULL,    -- api, sdk
    name          text NOT NULL,    -- for operators
    ending        text NOT NULL,    -- the last four characters of the text
    is_configured bigint NOT NULL,  -- a flag: from the configuration file of a sandbox
    created_at_ms bigint NOT NULL
);

CREATE UNIQUE INDEX api_keys_by_id ON api_keys (key_id);
CREATE INDEX api_keys_by_client ON api_keys (client_id, created_at_ms);

-- Brands of tenants: names that their messages go out under, with rules and limits of their own.
CREATE TABLE brands (
    client_id text COLLATE "C" NOT NULL,
    brand_id  bytea NOT NULL CHECK (length(brand_id) = 16),
    record    bytea NOT NULL,  -- name, rules, limits
    PRIMARY KEY (client_id, brand_id)
);

-- The name of each tenant towards other tenants, from the moment it is first asked for.
CREATE TABLE domains (
    client_id text COLLATE "C" NOT NULL PRIMARY KEY,
    pcid      bytea NOT NULL UNIQUE CHECK (length(pcid) = 16)
);

-- Links between tenants. Each set of scopes that one asks another for is a request of its own, so that nothing replaces what the
-- other side saw.
CREATE TABLE domain_links (
    from_client_id  text COLLATE "C" NOT NULL,  -- who asked
    to_client_id    text COLLATE "C" NOT NULL,
    number          bigint NOT NULL,            -- grows with each request of the two
    scopes          text NOT NULL,              -- one a line; empty when none
    state           text NOT NULL,              -- waiting, again (waiting once more after it was taken back), standing, withdrawn
    requested_at_ms bigint NOT NULL,
    accepted_at_ms  bigint,                     -- set in the state `standing`
    PRIMARY KEY (from_client_id, to_client_id, number),
    CHECK (from_client_id <> to_client_id),
    CHECK ((state = 'standing') = (accepted_at_ms IS NOT NULL))
);

CREATE INDEX domain_links_by_target ON domain_links (to_client_id);

-- Facts that phones sent before their sessions. A row is overwritten by another phone of the same place, so that a tenant has 65,536
-- at most; those of more than an hour ago go as new ones come.
CREATE TABLE connection_notices (
    client_id           text COLLATE "C" NOT NULL,
    place               bigint NOT NULL,
    notice_id           bytea NOT NULL CHECK (length(notice_id) = 16),  -- made by the phone
    at_ms               bigint NOT NULL,
    can_use_mobile_auth bigint NOT NULL,  -- a flag, as the next one
    came_over_cellular  bigint NOT NULL,
    PRIMARY KEY (client_id, place)
);

CREATE INDEX connection_notices_by_age ON connection_notices (at_ms);

-- Numbers that a tenant allows or blocks.
CREATE TABLE listed_numbers (
    number_index  bytea NOT NULL,
    client_id     text COLLATE "C" NOT NULL,
    list          text COLLATE "C" NOT NULL,  -- allowed, blocked
    number_sealed bytea NOT NULL,
    created_at_ms bigint NOT NULL,
    PRIMARY KEY (number_index, client_id, list)
);
ALTER TABLE listed_numbers ALTER number_sealed SET STORAGE EXTERNAL;

CREATE INDEX listed_numbers_by_list ON listed_numbers (client_id, list, created_at_ms);

-- Names that a tenant wishes its messages to come from.
CREATE TABLE sender_names (
    client_id     text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    created_at_ms bigint NOT NULL,
    PRIMARY KEY (client_id, name)
);

-- Numbers that messages are never sent to, each with a code of its own that passes until an end.
CREATE TABLE test_numbers (
    number_index  bytea NOT NULL PRIMARY KEY,
    entry_sealed  bytea NOT NULL,    -- number and code
    client_id     text COLLATE "C",  -- set where only one API client has it
    created_at_ms bigint NOT NULL,
    ends_at_ms    bigint NOT NULL
);
ALTER TABLE test_numbers ALTER entry_sealed SET STORAGE EXTERNAL;

-- Data of a number that is kept for longer than a session: identities and device keys of tenants, and imported people.

-- One row for each number of each tenant that was ever proven. It is an identity from its enrolment on.
CREATE TABLE identities (
    prove_id          bytea NOT NULL PRIMARY KEY CHECK (length(prove_id) = 16),
    client_id         text COLLATE "C" NOT NULL,
    number_index      bytea NOT NULL,
    number_sealed     bytea NOT NULL,
    enrolled_at_ms    bigint,                     -- set once enrolled
    is_active         bigint NOT NULL DEFAULT 1,  -- a flag
    attributes_sealed bytea,                      -- a record of references and attributes; set while there is any
    is_proven         bigint NOT NULL DEFAULT 1,  -- a flag: a person has proven the number to the API client
    UNIQUE (client_id, number_index)
);
ALTER TABLE identities ALTER number_sealed SET STORAGE EXTERNAL, ALTER attributes_sealed SET STORAGE EXTERNAL;

CREATE INDEX identities_enrolled ON identities (client_id, prove_id) WHERE enrolled_at_ms IS NOT NULL;

-- Key pairs on devices, each tied to the number it proved.
CREATE TABLE device_keys (
    device_index    bytea NOT NULL PRIMARY KEY,  -- of the device id
    client_id       text COLLATE "C" NOT NULL,
    thumbprint      bytea NOT NULL CHECK (length(thumbprint) = 32),  -- RFC 7638
    public_key      bytea NOT NULL CHECK (length(public_key) = 64),  -- x and y on P-256
    platform        text NOT NULL,    -- web, android, ios
    created_at_ms   bigint NOT NULL,
    number_index    bytea NOT NULL,
    key_sealed      bytea NOT NULL,   -- a record of device id, number, and the tenant's names of customer and person
    status          text NOT NULL,    -- active, revoked
    bound_at_ms     bigint NOT NULL,
    last_used_at_ms bigint NOT NULL,
    revoked_at_ms   bigint,           -- set when revoked
    UNIQUE (client_id, thumbprint)
);
ALTER TABLE device_keys ALTER key_sealed SET STORAGE EXTERNAL;

-- So that the keys of a number are erased with it.
CREATE INDEX device_keys_by_number ON device_keys (number_index);

-- The people behind numbers, as the operator imported them: Pre-Fill answers with them and compares submitted data with them. A row
-- goes when the person is erased.
CREATE TABLE people (
    person_id     bytea NOT NULL PRIMARY KEY CHECK (length(person_id) = 16),
    number_index  bytea NOT NULL UNIQUE,
    number_sealed bytea NOT NULL,
    person_sealed bytea NOT NULL,   -- a record of names, date of birth, SSN, e-mail and postal addresses
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
ALTER TABLE people ALTER number_sealed SET STORAGE EXTERNAL, ALTER person_sealed SET STORAGE EXTERNAL;

-- Data that finds an imported person (device onboarding): one row for each thing that the person may say of themselves.
CREATE TABLE people_credentials (
    credential_index bytea NOT NULL CHECK (length(credential_index) = 16),  -- of its name and value together
    person_id        bytea NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    PRIMARY KEY (credential_index, person_id)
);

-- So that the rows of a person are replaced, and go with the person.
CREATE INDEX people_credentials_by_person ON people_credentials (person_id);

-- Keys that the apps of an API client are built with (device activation): the current ones, and those of older apps.
CREATE TABLE application_keys (
    application_key   bytea NOT NULL PRIMARY KEY CHECK (length(application_key) = 16),  -- public
    client_id         text COLLATE "C" NOT NULL,
    keys_sealed       bytea NOT NULL,   -- application secret and master private key
    master_public_key bytea NOT NULL CHECK (length(master_public_key) = 64),  -- x and y on P-256
    is_configured     bigint NOT NULL,  -- a flag: from the configuration file of a sandbox
    ends_at_ms        bigint            -- set once other keys are in their place
);
ALTER TABLE application_keys ALTER keys_sealed SET STORAGE EXTERNAL;

-- One ring for an API client: current keys, and one set before them.
CREATE UNIQUE INDEX application_keys_current ON application_keys (client_id) WHERE ends_at_ms IS NULL;
CREATE UNIQUE INDEX application_keys_previous ON application_keys (client_id) WHERE ends_at_ms IS NOT NULL;

-- Apps on phones that hold keys which they agreed on with this server, each of a number or an address that was proven.
CREATE TABLE activations (
    activation_id   bytea NOT NULL PRIMARY KEY CHECK (length(activation_id) = 16),
    client_id       text COLLATE "C" NOT NULL,
    application_key text,             -- names the keys that the app was built with; none after a plain call
    correlation_id  bytea NOT NULL,   -- of the session that made it, which goes earlier
    target_index    bytea NOT NULL,   -- of the number or address
    details_sealed  bytea NOT NULL,   -- a record of number or address, name, platform, device, and flags
    keys_sealed     bytea NOT NULL,   -- never changes
    counter_sealed  bytea NOT NULL,   -- of signatures: each one that matches replaces it
    status          text NOT NULL,    -- active, blocked, removed
    reason          text,             -- set while it is not active
    status_at_ms    bigint NOT NULL,
    failed_attempts bigint NOT NULL DEFAULT 0 CHECK (failed_attempts BETWEEN 0 AND 5),  -- signatures in a row
    created_at_ms   bigint NOT NULL,
    last_used_at_ms bigint,           -- set once a signature has matched
    CHECK ((status = 'active') = (reason IS NULL))
);
ALTER TABLE activations
    ALTER details_sealed SET STORAGE EXTERNAL, ALTER keys_sealed SET STORAGE EXTERNAL, ALTER counter_sealed SET STORAGE EXTERNAL;

-- So that the activations of a number are listed, and erased with it.
CREATE INDEX activations_by_target ON activations (target_index, activation_id);
CREATE INDEX activations_of_client ON activations (client_id, activation_id);
-- Those whose answer may have been lost.
CREATE INDEX activations_unused ON activations (activation_id) WHERE last_used_at_ms IS NULL AND status <> 'removed';
CREATE INDEX activations_removed ON activations (status_at_ms) WHERE status = 'removed';

-- Secrets of activations that sign calls in place of their keys. They go with their activation, or once it is removed.
CREATE TABLE device_tokens (
    token_id      bytea NOT NULL PRIMARY KEY CHECK (length(token_id) = 16),  -- random
    activation_id bytea NOT NULL REFERENCES activations (activation_id) ON DELETE CASCADE,
    secret_sealed bytea NOT NULL,
    factors       text NOT NULL,    -- of the signature that made it, such as possession_knowledge
    created_at_ms bigint NOT NULL,
    place         bigint GENERATED ALWAYS AS IDENTITY  -- tokens of one millisecond keep the order in which they were added
);
ALTER TABLE device_tokens ALTER secret_sealed SET STORAGE EXTERNAL;

-- So that there is a bound for each activation, and tokens go with theirs.
CREATE INDEX device_tokens_of_activation ON device_tokens (activation_id, token_id);

-- Secrets that temporary keys of phones are derived from: a key is good until its end, also over a restart.
CREATE TABLE temporary_secrets (
    period        bigint NOT NULL PRIMARY KEY,  -- in which its keys end: seconds since 1970, divided by 300
    secret_sealed bytea NOT NULL
);
ALTER TABLE temporary_secrets ALTER secret_sealed SET STORAGE EXTERNAL;

-- Limits over sessions.

-- There is no index on `ends_at_ms`, because each count changes it. The sweep looks through the table once an hour.
CREATE TABLE limit_counts (
    key_digest bytea NOT NULL PRIMARY KEY CHECK (length(key_digest) = 16),  -- keyed digest of what is counted and for whom
    tally      bytea NOT NULL,  -- a record: failures in a row, the end of a stop, moments with counts
    ends_at_ms bigint NOT NULL  -- from then on nothing in it counts; the largest integer for a full stop
) WITH (fillfactor = 50);

-- Prefixes and countries that have no more room for strangers, at one API client. What is counted of them is in `limit_counts`, under
-- a digest; operators see this table.
CREATE TABLE scarce_places (
    client_id text COLLATE "C" NOT NULL,
    place     text COLLATE "C" NOT NULL,  -- all but the last four digits of a number, or a country
    since_ms  bigint NOT NULL,
    PRIMARY KEY (client_id, place)
) WITH (fillfactor = 50);

-- Beginnings of numbers that an operator has closed, for all API clients: they get no messages.
CREATE TABLE closed_prefixes (
    prefix   text COLLATE "C" NOT NULL PRIMARY KEY,  -- all but the last four digits of a number
    until_ms bigint NOT NULL
);

-- The server's own keys, and the audit log.

-- Keys that sign tokens. A key that can never sign again keeps only its public half, until the last token it signed has expired. Then
-- its row goes.
CREATE TABLE signing_keys (
    kid                text COLLATE "C" NOT NULL PRIMARY KEY,  -- RFC 7638 thumbprint of the public half, base64url
    purpose            text COLLATE "C" NOT NULL,              -- auth, access, assertion
    created_at_ms      bigint NOT NULL,
    activates_at_ms    bigint NOT NULL,  -- from when it signs; published before
    private_key_sealed bytea,            -- set while it may sign
    public_key_sealed  bytea,            -- set from then on: 64 bytes, x and y
    CHECK ((private_key_sealed IS NULL) <> (public_key_sealed IS NULL))
);
ALTER TABLE signing_keys ALTER private_key_sealed SET STORAGE EXTERNAL, ALTER public_key_sealed SET STORAGE EXTERNAL;

-- The keys that all others come from, sealed under the master key: one row for each master key that opens them. There are two rows
-- while one master key takes over from another.
CREATE TABLE keysets (
    master_id     bytea NOT NULL PRIMARY KEY CHECK (length(master_id) = 8),  -- derived from the master key; tells nothing of it
    number        bigint NOT NULL UNIQUE CHECK (number > 0),                 -- grows with each master key
    created_at_ms bigint NOT NULL,                                           -- when this master key was added
    keyset_sealed bytea NOT NULL                                             -- under the master key: `Keyset`
);
ALTER TABLE keysets ALTER keyset_sealed SET STORAGE EXTERNAL;

-- The lines for auditors: each has the hash of the line before it.
CREATE TABLE audit_entries (
    number      bigint NOT NULL PRIMARY KEY,  -- from 1, without a gap
    at_ms       bigint NOT NULL,
    line_sealed bytea NOT NULL,               -- JSON
    hash        bytea NOT NULL CHECK (length(hash) = 32)  -- of the JSON
);
ALTER TABLE audit_entries ALTER line_sealed SET STORAGE EXTERNAL;

-- Both ends of the chain. The keyed code is over all of it.
CREATE TABLE audit_ends (
    number        bigint NOT NULL PRIMARY KEY CHECK (number = 1),
    before_number bigint NOT NULL,  -- the last line that was removed as too old, 0 for none
    before_hash   bytea NOT NULL CHECK (length(before_hash) = 32),
    last_number   bigint NOT NULL,
    last_hash     bytea NOT NULL CHECK (length(last_hash) = 32),
    code          bytea NOT NULL CHECK (length(code) = 32)
) WITH (fillfactor = 20);

-- Webhooks: events for tenants' systems. Nothing is written here for a tenant without an endpoint.

CREATE TABLE webhook_endpoints (
    endpoint_id      bytea NOT NULL PRIMARY KEY CHECK (length(endpoint_id) = 16),
    client_id        text COLLATE "C" NOT NULL,
    endpoint_sealed  bytea NOT NULL,   -- a record of URL, types, form and keys
    created_at_ms    bigint NOT NULL,
    stop             text,             -- by_hand, failing, gone; set while it gets nothing
    stopped_at_ms    bigint,           -- set with it
    failing_since_ms bigint,           -- set while the last attempt has failed
    failures         bigint NOT NULL,  -- attempts that have failed since then
    CHECK ((stop IS NULL) = (stopped_at_ms IS NULL))
);
ALTER TABLE webhook_endpoints ALTER endpoint_sealed SET STORAGE EXTERNAL;

CREATE INDEX webhook_endpoints_by_client ON webhook_endpoints (client_id);

-- What has become true, written in the transaction that made it so.
CREATE TABLE webhook_events (
    event_id       bytea NOT NULL PRIMARY KEY CHECK (length(event_id) = 16),
    client_id      text COLLATE "C" NOT NULL,
    type           text NOT NULL,
    at_ms          bigint NOT NULL,
    correlation_id bytea,           -- set for an event of a session, which may be gone
    sequence       bigint,          -- set with it: from 1, in the order of the session's events
    number_index   bytea,           -- set where the event is about a number, so that it is erased with that
    event_sealed   bytea NOT NULL   -- a record of the number and of the fact
);
ALTER TABLE webhook_events ALTER event_sealed SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX webhook_events_of_session ON webhook_events (correlation_id, sequence) WHERE correlation_id IS NOT NULL;
CREATE INDEX webhook_events_by_number ON webhook_events (number_index) WHERE number_index IS NOT NULL;
-- The oldest of a tenant, which go first.
CREATE INDEX webhook_events_by_client ON webhook_events (client_id, event_id);

-- One row for each event and each endpoint that asked for it when it was written.
CREATE TABLE webhook_deliveries (
    endpoint_id bytea NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
    event_id    bytea NOT NULL REFERENCES webhook_events (event_id) ON DELETE CASCADE,
    is_noisy    bigint NOT NULL,  -- 1: may be dropped when too much waits
    state       text NOT NULL,    -- pending, delivered, failed, dropped
    attempts    bigint NOT NULL,
    next_at_ms  bigint,           -- set while pending: when the next attempt is due
    last_status bigint,           -- of the last answer
    last_error  text,             -- why it did not count
    last_at_ms  bigint,           -- when it came
    PRIMARY KEY (endpoint_id, event_id),
    CHECK ((state = 'pending') = (next_at_ms IS NOT NULL))
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at_ms) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_noisy ON webhook_deliveries (endpoint_id, event_id) WHERE state = 'pending' AND is_noisy = 1;
-- So that the deliveries of an event go with it.
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

-- The bytes that webhooks of a tenant take, so that its bound costs no look at the events themselves. An event counts its sealed value
-- and 220 bytes, a delivery 180: about what their rows and the rows of their indexes take.
--
-- There is one row for each tenant, as in SQLite, so all changes that write events of one tenant wait for each other. Several rows for
-- a tenant need other statements in the program, and come with them.
CREATE TABLE webhook_stores (
    client_id text COLLATE "C" NOT NULL PRIMARY KEY,
    bytes     bigint NOT NULL,           -- of its events, and of their deliveries to its endpoints
    removed   bigint NOT NULL DEFAULT 0  -- deliveries that went before they were made, since that was last reported
) WITH (fillfactor = 50);

CREATE FUNCTION webhook_events_stored() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO webhook_stores (client_id, bytes) VALUES (new.client_id, length(new.event_sealed) + 220)
      ON CONFLICT (client_id) DO UPDATE SET bytes = webhook_stores.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_events_stored AFTER INSERT ON webhook_events
    FOR EACH ROW EXECUTE FUNCTION webhook_events_stored();

CREATE FUNCTION webhook_events_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE webhook_stores SET bytes = bytes - length(old.event_sealed) - 220 WHERE client_id = old.client_id;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_events_removed AFTER DELETE ON webhook_events
    FOR EACH ROW EXECUTE FUNCTION webhook_events_removed();

-- Another sealing key may make it longer or shorter.
CREATE FUNCTION webhook_events_sealed_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE webhook_stores SET bytes = bytes + length(new.event_sealed) - length(old.event_sealed)
      WHERE client_id = new.client_id;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_events_sealed_again AFTER UPDATE OF event_sealed ON webhook_events
    FOR EACH ROW WHEN (length(new.event_sealed) <> length(old.event_sealed)) EXECUTE FUNCTION webhook_events_sealed_again();

CREATE FUNCTION webhook_deliveries_stored() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO webhook_stores (client_id, bytes)
      SELECT client_id, 180 FROM webhook_endpoints WHERE endpoint_id = new.endpoint_id
      ON CONFLICT (client_id) DO UPDATE SET bytes = webhook_stores.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_stored AFTER INSERT ON webhook_deliveries
    FOR EACH ROW EXECUTE FUNCTION webhook_deliveries_stored();

CREATE FUNCTION webhook_deliveries_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE webhook_stores SET bytes = bytes - 180
      WHERE client_id = (SELECT client_id FROM webhook_endpoints WHERE endpoint_id = old.endpoint_id);
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_removed AFTER DELETE ON webhook_deliveries
    FOR EACH ROW EXECUTE FUNCTION webhook_deliveries_removed();

-- While the endpoint is still there and names their tenant.
CREATE FUNCTION webhook_endpoints_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM webhook_deliveries WHERE endpoint_id = old.endpoint_id;
    RETURN old;
END $$;
CREATE TRIGGER webhook_endpoints_removed BEFORE DELETE ON webhook_endpoints
    FOR EACH ROW EXECUTE FUNCTION webhook_endpoints_removed();
