-- The roles and the database of a new pair. `holdfast database migrate` makes the tables, and says what the server may do.
\set owner_password `cat /pair/holdfast_owner.password`
\set server_password `cat /pair/holdfast.password`
\set replica_password `cat /pair/replica.password`

CREATE ROLE holdfast_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE holdfast LOGIN PASSWORD :'server_password';
CREATE ROLE replica LOGIN REPLICATION PASSWORD :'replica_password';

CREATE DATABASE holdfast OWNER holdfast_owner;
-- By default every role may connect and make temporary tables.
REVOKE ALL ON DATABASE holdfast FROM PUBLIC;
GRANT CONNECT ON DATABASE holdfast TO holdfast;
