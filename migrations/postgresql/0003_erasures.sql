-- Erasures over several servers.

-- The numbers and addresses that a server is erasing now. Each other server knows them before the erasure looks for their sessions,
-- and stores no change of a session with one of them.
CREATE TABLE erasure_orders (
    server       bigint NOT NULL REFERENCES servers (number) ON DELETE CASCADE,
    number       bigint NOT NULL, -- counted by the server
    target_index bytea NOT NULL,
    client_id    text COLLATE "C", -- NULL: of all API clients
    PRIMARY KEY (server, number)
);

INSERT INTO cache_versions (part, version) VALUES ('erasure_orders', 0);
