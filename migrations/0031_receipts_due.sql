-- Why gateways did not take a message, and when the one that took it must have said something of it.

ALTER TABLE messages ADD COLUMN refusals TEXT;           -- a line for each: gateway, channel, outcome, code, reason, tabs between them
ALTER TABLE messages ADD COLUMN receipt_due_ms INTEGER;  -- set when sent, where the gateway has a time; gone with the first receipt

CREATE INDEX messages_receipt_due ON messages (receipt_due_ms) WHERE receipt_due_ms IS NOT NULL;
