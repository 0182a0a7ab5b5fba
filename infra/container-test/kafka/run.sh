#!/bin/bash
# Writes the KAFKA_* variables as server properties, formats the storage once and starts the broker.
set -e
properties=/tmp/server.properties
: > "$properties"
export KAFKA_LOG_DIRS="${KAFKA_LOG_DIRS:-/tmp/kafka-logs}"
env | grep '^KAFKA_' | while IFS='=' read -r name value; do
    key=$(echo "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')
    echo "$key=$value" >> "$properties"
done
mkdir -p "$KAFKA_LOG_DIRS"
java -cp '/opt/kafka/config:/opt/kafka/libs/*' kafka.tools.StorageTool format --ignore-formatted -t "${CLUSTER_ID:-4L6g3nShT-eMCtK--X86sw}" -c "$properties"
exec java -Xmx512m -XX:+UseSerialGC -cp '/opt/kafka/config:/opt/kafka/libs/*' kafka.Kafka "$properties"
