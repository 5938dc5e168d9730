-- Brands of tenants: names that their messages go out under, with rules and limits of their own.
CREATE TABLE brands (
    client_id TEXT NOT NULL,
    brand_id  BLOB NOT NULL CHECK (length(brand_id) = 16),
    record    BLOB NOT NULL,  -- name, rules, limits
    PRIMARY KEY (client_id, brand_id)
) STRICT, WITHOUT ROWID;
