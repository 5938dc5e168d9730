-- The language of messages to people who say none.

ALTER TABLE tenants ADD COLUMN locale TEXT;  -- set when it is another one than that of the texts
