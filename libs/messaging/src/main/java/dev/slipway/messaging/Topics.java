package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The topics of the platform, and how each keeps its records. */
public final class Topics {
    public static final String IAM_STATE = "iam.state";
    public static final String AUTHZ_STATE = "authz.state";
    public static final String CATALOG_EVENTS = "catalog.events";
    public static final String CATALOG_STATE = "catalog.state";
    public static final String INSTANCES_EVENTS = "instances.events";
    public static final String USAGE_EVENTS = "usage.events";
    public static final String AUDIT_EVENTS = "audit.events";
    public static final String CALLS = "calls";
    public static final String RUNTIME_REPORTS = "runtime.reports";
    public static final String RUNTIME_REPORTS_REJECTED = "runtime.reports.rejected";
    public static final List<String> RUNTIME_BACKENDS = List.of("k8s", "rke2", "slurm", "ray", "bare_metal");

    private static final String THIRTY_DAYS_MS = String.valueOf(TimeUnit.DAYS.toMillis(30));

    private static final int PATIENCE_MS = 15_000;
    private static final int AGAIN_MS = 100;

    private Topics() {}

    public static String runtimeCommands(String backend) {
        return "runtime.commands." + backend;
    }

    public static String deadLetters(String topic) {
        return topic + ".dlq";
    }

    /** Makes the topics that are missing; those that exist are left as they are. */
    public static Future<Void> ensure(Vertx vertx, KafkaSettings kafka) {
        return vertx.executeBlocking(() -> {
            try (var admin = Admin.create(settings(kafka))) {
                var existing = admin.listTopics().names().get();
                var missing = all(kafka).stream()
                        .filter(topic -> !existing.contains(topic.name()))
                        .toList();
                create(admin, missing);
                return null;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthenticationException || e.getCause() instanceof AuthorizationException) {
                    throw new NotLetInException(String.valueOf(e.getCause().getMessage()), e);
                }
                throw e;
            }
        });
    }

    /**
     * The broker's own id of a topic: one that was lost and made again under the same name has another. A topic that was just made is not
     * known to every broker at once, so it is waited for.
     */
    public static Future<String> id(Vertx vertx, KafkaSettings kafka, String name) {
        return id(vertx, kafka, name, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS));
    }

    private static Future<String> id(Vertx vertx, KafkaSettings kafka, String name, long endNanos) {
        return vertx.executeBlocking(() -> idNow(kafka, name)).recover(e -> {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() >= endNanos) {
                return Future.failedFuture(e);
            }
            return vertx.timer(AGAIN_MS).compose(again -> id(vertx, kafka, name, endNanos));
        });
    }

    private static String idNow(KafkaSettings kafka, String name) throws Exception {
        try (var admin = Admin.create(settings(kafka))) {
            var described = admin.describeTopics(List.of(kafka.topic(name))).topicNameValues();
            var only = described.values().iterator().next();
            return only.get().topicId().toString();
        }
    }

    /** An attempt ends in good time, and so does the client: it waits for what it has begun. */
    private static Map<String, Object> settings(KafkaSettings kafka) {
        var settings = kafka.admin();
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        return settings;
    }

    private static void create(Admin admin, Collection<NewTopic> topics) throws Exception {
        for (var created : admin.createTopics(topics).values().values()) {
            try {
                created.get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
        }
    }

    static List<NewTopic> all(KafkaSettings kafka) {
        var facts = Map.of("retention.ms", THIRTY_DAYS_MS);
        var compacted = Map.of("cleanup.policy", "compact", "segment.ms", "3600000");
        // The broker's clock decides when a report came in: its sender's could be wrong, or lie.
        var reports = Map.of("retention.ms", THIRTY_DAYS_MS, "message.timestamp.type", "LogAppendTime");
        var topics = new ArrayList<NewTopic>();
        for (var name : List.of(
                CATALOG_EVENTS, INSTANCES_EVENTS, USAGE_EVENTS, AUDIT_EVENTS, CALLS, RUNTIME_REPORTS_REJECTED)) {
            topics.add(topic(kafka, name, kafka.partitions(), facts));
        }
        topics.add(topic(kafka, RUNTIME_REPORTS, kafka.partitions(), reports));
        for (var backend : RUNTIME_BACKENDS) {
            topics.add(topic(kafka, runtimeCommands(backend), kafka.partitions(), facts));
        }
        // One partition each: their records have one order.
        for (var name : List.of(IAM_STATE, AUTHZ_STATE, CATALOG_STATE)) {
            topics.add(topic(kafka, name, 1, compacted));
        }
        for (var name : List.of(
                IAM_STATE,
                CATALOG_STATE,
                CATALOG_EVENTS,
                INSTANCES_EVENTS,
                USAGE_EVENTS,
                AUDIT_EVENTS,
                CALLS,
                RUNTIME_REPORTS,
                RUNTIME_REPORTS_REJECTED)) {
            topics.add(topic(kafka, deadLetters(name), 1, facts));
        }
        return topics;
    }

    private static NewTopic topic(KafkaSettings kafka, String name, int partitions, Map<String, String> config) {
        return new NewTopic(kafka.topic(name), partitions, kafka.replication()).configs(config);
    }
}
