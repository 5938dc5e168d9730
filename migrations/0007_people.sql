-- The people behind numbers, as the operator imported them: what Pre-Fill answers and what submitted data is compared
-- with. A row goes when the person is erased.

CREATE TABLE people (
    person_id     BLOB NOT NULL PRIMARY KEY CHECK (length(person_id) = 16),
    number_index  BLOB NOT NULL UNIQUE,
    number_sealed BLOB NOT NULL,
    -- A record: first and last name, date of birth, SSN, the number of e-mail addresses and each, the number of postal
    -- addresses and the five parts of each.
    person_sealed BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT;
