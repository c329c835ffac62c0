#!/bin/sh
# The PostgreSQL image runs this once, when its volume is empty (compose.yaml). The service gets a login that
# owns its database and nothing else, and may work as the role that cannot change the ledger. The superuser is
# for backups.
set -eu

psql -v ON_ERROR_STOP=1 -v password="$WALLET_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE loyalty_wallet_app NOLOGIN;
CREATE ROLE wallet LOGIN PASSWORD :'password';
GRANT loyalty_wallet_app TO wallet;
CREATE DATABASE wallet OWNER wallet;
REVOKE ALL ON DATABASE wallet FROM PUBLIC;
SQL
