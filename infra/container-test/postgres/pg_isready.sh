#!/bin/bash
# The health check of the compose file: succeeds when the server accepts connections on TCP.
exec 3<>/dev/tcp/127.0.0.1/5432
