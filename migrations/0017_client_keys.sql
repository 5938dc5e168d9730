-- Keys that API clients sign with to say who they are: of each the two coordinates on P-256 in hexadecimal, one key a line.
ALTER TABLE tenants ADD COLUMN public_keys TEXT NOT NULL DEFAULT '';
