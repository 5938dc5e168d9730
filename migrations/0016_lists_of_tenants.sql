-- What tenants keep beside their sessions.

-- What phones told of themselves before their sessions. A row is overwritten by another phone of the same place, so that a
-- tenant has 65,536 at most; those of more than an hour ago go as new ones come.
CREATE TABLE connection_notices (
    client_id           TEXT NOT NULL,
    place               INTEGER NOT NULL,
    notice_id           BLOB NOT NULL CHECK (length(notice_id) = 16),  -- made by the phone
    at_ms               INTEGER NOT NULL,
    can_use_mobile_auth INTEGER NOT NULL,
    came_over_cellular  INTEGER NOT NULL,
    PRIMARY KEY (client_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX connection_notices_by_age ON connection_notices (at_ms);

-- Numbers that a tenant allows or blocks.
CREATE TABLE listed_numbers (
    number_index  BLOB NOT NULL,     -- keyed digest of the number
    client_id     TEXT NOT NULL,
    list          TEXT NOT NULL,     -- allowed, blocked
    number_sealed BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (number_index, client_id, list)
) STRICT, WITHOUT ROWID;

CREATE INDEX listed_numbers_by_list ON listed_numbers (client_id, list, created_at_ms);

-- Names that a tenant wishes its messages to come from.
CREATE TABLE sender_names (
    client_id     TEXT NOT NULL,
    name          TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (client_id, name)
) STRICT, WITHOUT ROWID;

-- The sessions of a tenant and a product, for those that are found by their number.
CREATE INDEX sessions_of_product ON sessions (client_id, number_product, correlation_id)
  WHERE number_product IS NOT NULL;
