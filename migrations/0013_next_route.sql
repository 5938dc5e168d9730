-- What a message held, for as long as its carrier may still say that it did not arrive and another route could take it.

ALTER TABLE messages ADD COLUMN again_sealed BLOB;       -- set while sent, where another route is left: as message_sealed
ALTER TABLE messages ADD COLUMN again_until_ms INTEGER;  -- set with it: when its code or link expires

CREATE INDEX messages_again ON messages (again_until_ms) WHERE again_until_ms IS NOT NULL;
