-- What an imported person may say of themselves to be found (device onboarding): one row for each thing.

CREATE TABLE people_credentials (
    credential_index BLOB NOT NULL CHECK (length(credential_index) = 16),  -- of its name and value together
    person_id        BLOB NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    PRIMARY KEY (credential_index, person_id)
) STRICT, WITHOUT ROWID;

-- So that the rows of a person are replaced, and go with the person.
CREATE INDEX people_credentials_by_person ON people_credentials (person_id);
