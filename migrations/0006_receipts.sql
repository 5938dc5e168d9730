-- What became of a message after a carrier took it.

ALTER TABLE messages ADD COLUMN gateway TEXT;             -- set when sent, where gateways have names: the one that took it
ALTER TABLE messages ADD COLUMN carrier_message_id TEXT;  -- set when sent, where the carrier gave one
ALTER TABLE messages ADD COLUMN carrier_end TEXT;         -- set once known: delivered, undelivered, expired
