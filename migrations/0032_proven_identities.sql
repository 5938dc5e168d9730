-- An identity that the API client has only enrolled proves nothing: it lifts no limit of messages. Rows from before count as
-- proven, because nothing tells them apart.

ALTER TABLE identities ADD COLUMN is_proven INTEGER NOT NULL DEFAULT 1;  -- 0 or 1: a person has proven the number to the API client
