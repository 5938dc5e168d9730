-- A number finds the newest session of one product: products of different wire formats do not see each other's sessions.

ALTER TABLE sessions ADD COLUMN number_product TEXT;  -- set with number_index: the product of the session

DROP INDEX sessions_by_number;
CREATE INDEX sessions_by_number ON sessions (number_index, client_id, number_product, correlation_id)
  WHERE number_index IS NOT NULL;
