#!/bin/sh
# Makes the database of the composition. The image of PostgreSQL runs it once, when it makes the server. The service's role owns its
# database, and has no other right. The superuser has no password afterwards, so it cannot sign in over the network.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'END'
\getenv password POSTGRES_PASSWORD
create role paylinks login password :'password';
create database paylinks owner paylinks encoding 'UTF8' template template0;
alter role current_user password null;
END
