package dev.slipway.standalone;

import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.PlatformProcess;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A platform in this JVM whose metering is a process of its own, which can be killed and restarted. */
final class MeteringCluster implements AutoCloseable {
    private final PlatformUnderTest platform;
    private final PlatformProcess metering;
    /** Validates all events. They are not stored: there are too many. */
    private final EventTap events;

    MeteringCluster(Path directory) {
        var ports = FreePorts.find(2);
        var name = "m" + UUID.randomUUID();
        var shared = Map.of(
                "SLIPWAY_CLUSTER_NAME",
                name,
                "SLIPWAY_CLUSTER",
                "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1),
                "SLIPWAY_CONSISTENCY_INTERVAL",
                "PT10S");
        var ofPlatform = new HashMap<>(shared);
        ofPlatform.put("SLIPWAY_SERVICES", "iam,catalog,instances,audit,tenants,gateway");
        ofPlatform.put("SLIPWAY_CLUSTER_PORT", String.valueOf(ports.get(0)));
        ofPlatform.put("SLIPWAY_REPLY_TIMEOUT", "PT12S"); // a killed process does not reply
        platform = new PlatformUnderTest(ofPlatform);
        platform.events().close();
        events = new EventTap(platform.kafkaBootstrap(), platform.topicPrefix(), Map.of(), event -> {});
        var ofMetering = new HashMap<>(shared);
        ofMetering.put("SLIPWAY_SERVICES", "metering");
        ofMetering.put("SLIPWAY_DEMO", "false");
        ofMetering.put("SLIPWAY_CLUSTER_PORT", String.valueOf(ports.get(1)));
        ofMetering.put("SLIPWAY_KAFKA_BOOTSTRAP", platform.kafkaBootstrap());
        ofMetering.put("SLIPWAY_DATABASE_URL", platform.database().url());
        ofMetering.put("SLIPWAY_TOPIC_PREFIX", platform.topicPrefix());
        ofMetering.put("SLIPWAY_TOPIC_PARTITIONS", "2");
        ofMetering.put("SLIPWAY_RECORD_KEYS_DIRECTORY", platform.recordKeys().toString());
        // The prices begin before the usage that is reported late, so its months stay open.
        ofMetering.put("SLIPWAY_BILLING_CLOSE_AFTER", "P400D");
        metering = new PlatformProcess(directory.resolve("metering"), ofMetering);
        metering.start();
    }

    PlatformUnderTest platform() {
        return platform;
    }

    void killMetering() {
        metering.process().kill();
    }

    void startMetering() {
        metering.start();
    }

    /** Returns the schema violations and dead letters seen so far. */
    List<String> violations() {
        return events.violations();
    }

    @Override
    public void close() {
        events.close();
        metering.close();
        platform.close();
    }
}
