-- Secrets that temporary keys of phones are derived from: a key is good until its end, also over a restart.

CREATE TABLE temporary_secrets (
    period        INTEGER NOT NULL PRIMARY KEY,  -- in which its keys end: seconds since 1970, divided by 300
    secret_sealed BLOB NOT NULL
) STRICT;
