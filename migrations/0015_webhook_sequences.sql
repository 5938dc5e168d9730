-- The numbers of a session's events rise as long as the session is there, also once all earlier events were removed.

ALTER TABLE sessions ADD COLUMN webhook_sequence INTEGER;  -- set once events were removed: the highest number of those
