#!/bin/sh
# Runs a command with a Docker engine that ends with it. For: unshare --net --mount --pid --fork --mount-proc with-engine.sh COMMAND…
set -e
directory=$(mktemp -d /var/tmp/slipway-engine.XXXXXX)
ip link set lo up
dockerd --oom-score-adjust=0 --data-root "$directory/data" --exec-root "$directory/run" --host "unix://$directory/docker.sock" \
    --pidfile "$directory/docker.pid" > "$directory/dockerd.log" 2>&1 &
export DOCKER_HOST="unix://$directory/docker.sock"
for second in 1 2 3 4 5 6 7 8 9 10; do
    docker info > /dev/null 2>&1 && break
    sleep 1
done
status=0
"$@" || status=$?
kill "$(cat "$directory/docker.pid")"
wait
umount --lazy "$directory"/run/netns/* 2> /dev/null || true
rm -rf "$directory"
exit $status
