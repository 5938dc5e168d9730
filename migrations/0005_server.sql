-- What the server keeps for itself. A table of one row has a `number` that is 1.

-- Keys that sign tokens. One that can never sign again keeps its public half only, until the last token it signed has
-- expired. Then its row goes.
CREATE TABLE signing_keys (
    kid                TEXT NOT NULL PRIMARY KEY,  -- RFC 7638 thumbprint of the public half, base64url
    purpose            TEXT NOT NULL,              -- auth, access, assertion
    created_at_ms      INTEGER NOT NULL,
    activates_at_ms    INTEGER NOT NULL,           -- from when it signs; published before
    private_key_sealed BLOB,                       -- set while it may sign
    public_key_sealed  BLOB,                       -- set from then on: 64 bytes, x and y
    CHECK ((private_key_sealed IS NULL) <> (public_key_sealed IS NULL))
) STRICT;

-- How far the sandbox clock runs ahead of the machine's, so that what had expired stays so over a restart. In sandbox mode
-- only.
CREATE TABLE sandbox_clock (
    number         INTEGER PRIMARY KEY CHECK (number = 1),
    offset_seconds INTEGER NOT NULL CHECK (offset_seconds >= 0)
) STRICT;

-- A moment that no time told so far is after: where a start begins, so that time does not run back over a restart.
CREATE TABLE clock_mark (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    at_ms  INTEGER NOT NULL
) STRICT;

-- The number of the last commit, written with each. `holdfast.commits`, beside the database, has the number of the last commit that was acknowledged.
CREATE TABLE commit_mark (
    number  INTEGER PRIMARY KEY CHECK (number = 1),
    commits INTEGER NOT NULL CHECK (commits >= 0),
    chain   INTEGER NOT NULL   -- running checksum over the logs before this commit
) STRICT;

-- Written to find out whether a write succeeds.
CREATE TABLE probes (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    writes INTEGER NOT NULL,
    filler BLOB                -- bytes that a probe writes after the disk was full, to see whether there is room again
) STRICT;

-- When the whole database was last read and found sound, by the machine's clock. None after damage was found.
CREATE TABLE integrity_check (
    number       INTEGER PRIMARY KEY CHECK (number = 1),
    passed_at_ms INTEGER NOT NULL
) STRICT;
