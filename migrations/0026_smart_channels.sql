-- The order in which messages of one API client try their channels, where a surface takes it, and how long each has.

-- Channels, one a line; empty: the client has no order of its own, and no app may begin sessions by its id alone.
ALTER TABLE tenants ADD COLUMN smart_channels TEXT NOT NULL DEFAULT '';
-- Whole seconds; NULL: 20.
ALTER TABLE tenants ADD COLUMN seconds_per_channel INTEGER CHECK (seconds_per_channel BETWEEN 5 AND 600);
