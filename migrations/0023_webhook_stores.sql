-- What is stored of webhooks for each tenant, so that its bound costs no look at the events themselves.
--
-- An event counts its sealed value and 220 bytes, a delivery 180: about what their rows and the rows of their indexes take.

CREATE TABLE webhook_stores (
    client_id TEXT NOT NULL PRIMARY KEY,
    bytes     INTEGER NOT NULL,           -- of its events, and of their deliveries to its endpoints
    removed   INTEGER NOT NULL DEFAULT 0  -- deliveries that went before they were made, since that was last told
) STRICT, WITHOUT ROWID;

INSERT INTO webhook_stores (client_id, bytes)
  SELECT client_id, sum(bytes) FROM
    (SELECT client_id, sum(length(event_sealed) + 220) AS bytes FROM webhook_events GROUP BY client_id
     UNION ALL
     SELECT p.client_id, 180 * count(*) FROM webhook_deliveries d
       JOIN webhook_endpoints p ON p.endpoint_id = d.endpoint_id GROUP BY p.client_id)
    GROUP BY client_id;

CREATE TRIGGER webhook_events_stored AFTER INSERT ON webhook_events BEGIN
    INSERT INTO webhook_stores (client_id, bytes) VALUES (new.client_id, length(new.event_sealed) + 220)
      ON CONFLICT (client_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER webhook_events_removed AFTER DELETE ON webhook_events BEGIN
    UPDATE webhook_stores SET bytes = bytes - length(old.event_sealed) - 220 WHERE client_id = old.client_id;
END;

-- Another sealing key may make it longer or shorter.
CREATE TRIGGER webhook_events_sealed_again AFTER UPDATE OF event_sealed ON webhook_events
    WHEN length(new.event_sealed) <> length(old.event_sealed) BEGIN
    UPDATE webhook_stores SET bytes = bytes + length(new.event_sealed) - length(old.event_sealed)
      WHERE client_id = new.client_id;
END;

CREATE TRIGGER webhook_deliveries_stored AFTER INSERT ON webhook_deliveries BEGIN
    INSERT INTO webhook_stores (client_id, bytes)
      SELECT client_id, 180 FROM webhook_endpoints WHERE endpoint_id = new.endpoint_id
      ON CONFLICT (client_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER webhook_deliveries_removed AFTER DELETE ON webhook_deliveries BEGIN
    UPDATE webhook_stores SET bytes = bytes - 180
      WHERE client_id = (SELECT client_id FROM webhook_endpoints WHERE endpoint_id = old.endpoint_id);
END;

-- While the endpoint is there to tell whose they are.
CREATE TRIGGER webhook_endpoints_removed BEFORE DELETE ON webhook_endpoints BEGIN
    DELETE FROM webhook_deliveries WHERE endpoint_id = old.endpoint_id;
END;

-- The oldest of a tenant, which go first.
CREATE INDEX webhook_events_by_client ON webhook_events (client_id, event_id);
