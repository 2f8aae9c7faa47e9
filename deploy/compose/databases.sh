#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is new: one database a service, each owned by a user of its own.
set -eu
for service in dealer orchestrator tournament_ledger; do
  psql -v ON_ERROR_STOP=1 -v name="$service" -v password="$SEVENSTUD_PASSWORD" --username postgres <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name" ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE :"name" FROM PUBLIC;
SQL
done
