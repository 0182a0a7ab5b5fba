#!/bin/bash
# The health check of the compose file: succeeds when the broker accepts connections. Arguments: --bootstrap-server host:port
address=$2
exec 3<>"/dev/tcp/${address%%:*}/${address##*:}"
