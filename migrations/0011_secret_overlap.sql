-- A tenant's former secret ends by itself some time after it was replaced.

ALTER TABLE tenants ADD COLUMN other_secret_until_ms INTEGER;  -- set while `other_secret_digest` is to end
