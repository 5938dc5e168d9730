-- Limits that an operator gave one API client, in the place of the server's. NULL: the server's own.

-- Requests a second; 0: any number.
ALTER TABLE tenants ADD COLUMN requests_per_second INTEGER CHECK (requests_per_second BETWEEN 0 AND 1000000);
-- What its messages may cost in 24 hours, or without prices how many there may be; 0: as much as the server's budget allows.
ALTER TABLE tenants ADD COLUMN budget_per_day INTEGER CHECK (budget_per_day BETWEEN 0 AND 200000);
-- Messages of it that may go unanswered (docs/limits.md); 0: any number.
ALTER TABLE tenants ADD COLUMN unanswered_per_network INTEGER CHECK (unanswered_per_network BETWEEN 0 AND 100000);
ALTER TABLE tenants ADD COLUMN unanswered_per_prefix INTEGER CHECK (unanswered_per_prefix BETWEEN 0 AND 100000);
ALTER TABLE tenants ADD COLUMN unanswered_per_country INTEGER CHECK (unanswered_per_country BETWEEN 0 AND 1000000);
-- Lines that its messages may go to, one a line.
ALTER TABLE tenants ADD COLUMN line_types TEXT;
