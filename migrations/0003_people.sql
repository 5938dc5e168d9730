-- What is kept of a number for longer than a session: identities and device keys of tenants, and imported people.

-- One row for each number of each tenant that was ever proven. It is an identity from its enrolment on.
CREATE TABLE identities (
    prove_id          BLOB NOT NULL PRIMARY KEY CHECK (length(prove_id) = 16),
    client_id         TEXT NOT NULL,
    number_index      BLOB NOT NULL,
    number_sealed     BLOB NOT NULL,
    enrolled_at_ms    INTEGER,                     -- set once enrolled
    is_active         INTEGER NOT NULL DEFAULT 1,  -- 0 or 1
    attributes_sealed BLOB,                        -- a record of references and attributes; set while there is any
    UNIQUE (client_id, number_index)
) STRICT;

CREATE INDEX identities_enrolled ON identities (client_id, prove_id) WHERE enrolled_at_ms IS NOT NULL;

-- Key pairs on devices, each tied to the number it proved.
CREATE TABLE device_keys (
    device_index    BLOB NOT NULL PRIMARY KEY,  -- of the device id
    client_id       TEXT NOT NULL,
    thumbprint      BLOB NOT NULL CHECK (length(thumbprint) = 32),  -- RFC 7638
    public_key      BLOB NOT NULL CHECK (length(public_key) = 64),  -- x and y on P-256
    platform        TEXT NOT NULL,     -- web, android, ios
    created_at_ms   INTEGER NOT NULL,
    number_index    BLOB NOT NULL,
    key_sealed      BLOB NOT NULL,     -- a record of device id, number, and the tenant's names of customer and person
    status          TEXT NOT NULL,     -- active, revoked
    bound_at_ms     INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL,
    revoked_at_ms   INTEGER,           -- set when revoked
    UNIQUE (client_id, thumbprint)
) STRICT;

-- So that the keys of a number are erased with it.
CREATE INDEX device_keys_by_number ON device_keys (number_index);

-- The people behind numbers, as the operator imported them: what Pre-Fill answers and what submitted data is compared
-- with. A row goes when the person is erased.
CREATE TABLE people (
    person_id     BLOB NOT NULL PRIMARY KEY CHECK (length(person_id) = 16),
    number_index  BLOB NOT NULL UNIQUE,
    number_sealed BLOB NOT NULL,
    person_sealed BLOB NOT NULL,       -- a record of names, date of birth, SSN, e-mail and postal addresses
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT;
