-- What tenants' systems are told. Nothing is written here for a tenant without an endpoint.

CREATE TABLE webhook_endpoints (
    endpoint_id      BLOB NOT NULL PRIMARY KEY CHECK (length(endpoint_id) = 16),
    client_id        TEXT NOT NULL,
    endpoint_sealed  BLOB NOT NULL,     -- a record of URL, types, form and keys
    created_at_ms    INTEGER NOT NULL,
    stop             TEXT,              -- by_hand, failing, gone; set while it is told nothing
    stopped_at_ms    INTEGER,           -- set with it
    failing_since_ms INTEGER,           -- set while the last attempt has failed
    failures         INTEGER NOT NULL,  -- attempts that have failed since then
    CHECK ((stop IS NULL) = (stopped_at_ms IS NULL))
) STRICT;

CREATE INDEX webhook_endpoints_by_client ON webhook_endpoints (client_id);

-- What has become true, written in the transaction that made it so.
CREATE TABLE webhook_events (
    event_id       BLOB NOT NULL PRIMARY KEY CHECK (length(event_id) = 16),
    client_id      TEXT NOT NULL,
    type           TEXT NOT NULL,
    at_ms          INTEGER NOT NULL,
    correlation_id BLOB,              -- set for an event of a session, which may be gone
    sequence       INTEGER,           -- set with it: from 1, in the order of the session's events
    number_index   BLOB,              -- set where the event is about a number, so that it is erased with that
    event_sealed   BLOB NOT NULL      -- a record of the number and of what is told
) STRICT;

CREATE UNIQUE INDEX webhook_events_of_session ON webhook_events (correlation_id, sequence)
    WHERE correlation_id IS NOT NULL;
CREATE INDEX webhook_events_by_number ON webhook_events (number_index) WHERE number_index IS NOT NULL;

-- One row for each event and each endpoint that asked for it when it was written.
CREATE TABLE webhook_deliveries (
    endpoint_id BLOB NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
    event_id    BLOB NOT NULL REFERENCES webhook_events (event_id) ON DELETE CASCADE,
    is_noisy    INTEGER NOT NULL,  -- 1: may be dropped when too much waits
    state       TEXT NOT NULL,     -- pending, delivered, failed, dropped
    attempts    INTEGER NOT NULL,
    next_at_ms  INTEGER,           -- set while pending: when the next attempt is due
    last_status INTEGER,           -- of the last answer
    last_error  TEXT,              -- why it did not count
    last_at_ms  INTEGER,           -- when it came
    PRIMARY KEY (endpoint_id, event_id),
    CHECK ((state = 'pending') = (next_at_ms IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at_ms) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_noisy ON webhook_deliveries (endpoint_id, event_id)
    WHERE state = 'pending' AND is_noisy = 1;
-- For what hangs on an event.
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
