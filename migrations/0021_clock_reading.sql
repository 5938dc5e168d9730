-- When the clock mark was made: by it a start after a crash knows how far time can have gone on since, and does not begin ahead
-- of a clock that is right.

ALTER TABLE clock_mark ADD COLUMN told_ms INTEGER;    -- the latest time told when the mark was made
ALTER TABLE clock_mark ADD COLUMN steady_ns INTEGER;  -- the machine's steady clock then
ALTER TABLE clock_mark ADD COLUMN boot BLOB;          -- names the run of the machine that the steady clock belongs to
