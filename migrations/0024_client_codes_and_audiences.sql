-- What an operator allows an API client: how short the codes for its people may be, and whom statements may be for.

-- Digits; set where the client may have fewer than otp.codeLength.
ALTER TABLE tenants ADD COLUMN least_code_digits INTEGER CHECK (least_code_digits BETWEEN 4 AND 6);
-- One audience a line; empty: anybody that is not this server or an operator.
ALTER TABLE tenants ADD COLUMN statement_audiences TEXT NOT NULL DEFAULT '';
