-- Servers of two versions of the program share the database only if they write the same versions of records: see RecordVersions.
ALTER TABLE servers ADD COLUMN record_level bigint NOT NULL DEFAULT 1;
