#!/bin/sh
# The service gets a login that owns its database and nothing else, and may work as the role that cannot change the
# ledger. The PostgreSQL image runs this once, when its volume is empty (compose.yaml). On a server of your own, run it
# as a superuser: PGHOST=db.example.com PGUSER=postgres WALLET_PASSWORD=… sh deploy/create-database.sh
set -eu
: "${WALLET_PASSWORD:?set it to the password that the service shall log in with}"

psql -v ON_ERROR_STOP=1 -v password="$WALLET_PASSWORD" --username "${POSTGRES_USER:-${PGUSER:-postgres}}" \
  --dbname postgres <<'SQL'
CREATE ROLE loyalty_wallet_app NOLOGIN;
CREATE ROLE wallet LOGIN PASSWORD :'password';
GRANT loyalty_wallet_app TO wallet;
CREATE DATABASE wallet OWNER wallet;
REVOKE ALL ON DATABASE wallet FROM PUBLIC;
SQL
