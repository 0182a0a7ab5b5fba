#!/bin/bash
# Creates the cluster, user and database of the POSTGRES_* variables once, then runs the command, which begins with "postgres".
set -e
export PATH=/usr/local/postgres/bin:$PATH
export PGDATA=${PGDATA:-/var/lib/postgresql/data}
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chown -R postgres:postgres "$(dirname "$PGDATA")"
    exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
user=${POSTGRES_USER:-postgres}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initdb -U "$user" --pwfile=<(echo "$POSTGRES_PASSWORD") --auth=scram-sha-256 --encoding=UTF8 --locale=C
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    if [ "${POSTGRES_DB:-postgres}" != postgres ]; then
        echo "CREATE DATABASE \"$POSTGRES_DB\"" | postgres --single -D "$PGDATA" postgres
    fi
    # Clients of the public image wait for the second of two starts.
    pg_ctl -D "$PGDATA" -o '-c listen_addresses=' -w start
    pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" -c "listen_addresses=*" -c unix_socket_directories=/tmp
