package dev.slipway.messaging;

import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The topics of the platform and their configuration. */
public final class Topics {
    public static final String IAM_STATE = "iam.state";
    public static final String AUTHZ_STATE = "authz.state";
    public static final String CATALOG_EVENTS = "catalog.events";
    public static final String CATALOG_STATE = "catalog.state";
    public static final String INSTANCES_EVENTS = "instances.events";
    public static final String USAGE_EVENTS = "usage.events";
    public static final String BILLING_EVENTS = "billing.events";
    public static final String BILLING_STATE = "billing.state";
    /** Usage facts of products. Each record carries a token that metering verifies. */
    public static final String USAGE_FACTS = "usage.facts";

    public static final String AUDIT_EVENTS = "audit.events";
    public static final String AUDIT_CHECKPOINTS = "audit.checkpoints";
    public static final String EVIDENCE_EVENTS = "evidence.events";
    public static final String EVIDENCE_STATE = "evidence.state";
    public static final String CONSISTENCY_EVENTS = "consistency.events";
    public static final String CALLS = "calls";
    public static final String STATUS_EVENTS = "status.events";
    public static final String STATUS_REPORTS = "status.reports";
    public static final String RUNTIME_REPORTS = "runtime.reports";
    public static final String RUNTIME_REPORTS_REJECTED = "runtime.reports.rejected";
    public static final String TENANTS_EVENTS = "tenants.events";
    public static final String TENANTS_STATE = "tenants.state";

    /**
     * The topics that one service writes and others rely on, with that service. It signs the records, and readers skip others: write access to
     * the broker alone must not grant anything.
     */
    private static final Map<String, String> OWNERS = Map.ofEntries(
            Map.entry(IAM_STATE, "iam"),
            Map.entry(AUTHZ_STATE, "iam"),
            Map.entry(CATALOG_STATE, "catalog"),
            Map.entry(CATALOG_EVENTS, "catalog"),
            Map.entry(INSTANCES_EVENTS, "instances"),
            Map.entry(USAGE_EVENTS, "instances"),
            Map.entry(BILLING_STATE, "metering"),
            Map.entry(BILLING_EVENTS, "metering"),
            Map.entry(TENANTS_EVENTS, "tenants"),
            Map.entry(TENANTS_STATE, "tenants"),
            Map.entry(EVIDENCE_STATE, "audit"));

    static final Set<String> SIGNED = OWNERS.keySet();

    /** The runtime backends that every platform starts with; further ones are registered. */
    public static final List<String> RUNTIME_BACKENDS = RegistrySeeds.load().entries().stream()
            .filter(seed -> seed.kind() == RegistryKind.RUNTIME_BACKEND)
            .map(RegistrySeeds.Entry::id)
            .toList();

    /** The key of heartbeats on state topics. */
    public static final String HEARTBEAT_KEY = "heartbeat";

    private static final String THIRTY_DAYS_MS = String.valueOf(TimeUnit.DAYS.toMillis(30));

    private static final int TIMEOUT_MS = 15_000;
    private static final int RETRY_MS = 100;

    private Topics() {}

    /** Returns whether the topic is compacted: a record without a value deletes its key there. */
    static boolean isState(String topic) {
        return topic.endsWith(".state") || topic.equals(AUDIT_CHECKPOINTS);
    }

    public static String runtimeCommands(String backend) {
        return "runtime.commands." + backend;
    }

    public static String deadLetters(String topic) {
        return topic + ".dlq";
    }

    /** Returns the service that signs the records of the topic, or null if they are not signed. */
    static @Nullable String owner(String topic) {
        return OWNERS.get(topic);
    }

    /** Returns whether the service signs records. */
    static boolean isOwner(String service) {
        return OWNERS.containsValue(service);
    }

    /**
     * Creates missing topics. Existing topics are not changed. A principal that may not create topics waits for those of another process: the
     * call fails until they exist.
     */
    public static Future<Void> createMissing(Vertx vertx, KafkaSettings kafka) {
        return createMissing(vertx, kafka, all(kafka));
    }

    /** Creates the command topic of a runtime backend if it is missing. */
    public static Future<Void> createRuntimeCommands(Vertx vertx, KafkaSettings kafka, String backend) {
        return createMissing(vertx, kafka, List.of(runtimeCommandsTopic(kafka, backend)));
    }

    private static Future<Void> createMissing(Vertx vertx, KafkaSettings kafka, List<NewTopic> topics) {
        return vertx.executeBlocking(() -> {
            try (var admin = Admin.create(settings(kafka))) {
                var existing = admin.listTopics().names().get();
                var missing = topics.stream()
                        .filter(topic -> !existing.contains(topic.name()))
                        .toList();
                if (!create(admin, missing) && !existing.contains(kafka.topic(AUTHZ_STATE))) {
                    throw new IllegalStateException(
                            "the topics do not exist, and this Kafka principal may not create them");
                }
                return null;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthenticationException || e.getCause() instanceof AuthorizationException) {
                    throw new ServerRejectedException(
                            String.valueOf(e.getCause().getMessage()), e);
                }
                throw e;
            }
        });
    }

    /**
     * Returns the broker's id of a topic and the id of the key that signs its records. It changes if the topic is deleted and created again,
     * or if its records have to be signed again. Waits for a new topic, because not every broker knows it immediately.
     */
    public static Future<String> findId(Vertx vertx, KafkaSettings kafka, String name) {
        return findId(vertx, kafka, name, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS));
    }

    private static Future<String> findId(Vertx vertx, KafkaSettings kafka, String name, long endNanos) {
        return vertx.executeBlocking(() -> fetchId(kafka, name)).recover(e -> {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() >= endNanos) {
                return Future.failedFuture(e);
            }
            return vertx.timer(RETRY_MS).compose(again -> findId(vertx, kafka, name, endNanos));
        });
    }

    private static String fetchId(KafkaSettings kafka, String name) throws Exception {
        try (var admin = Admin.create(settings(kafka))) {
            var described = admin.describeTopics(List.of(kafka.topic(name))).topicNameValues();
            var only = described.values().iterator().next();
            return only.get().topicId() + "/" + kafka.keys().signingKeyId(name);
        }
    }

    /** Limits each call, and thereby the time that closing the client takes. */
    private static Map<String, Object> settings(KafkaSettings kafka) {
        var settings = kafka.admin();
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MS);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MS);
        return settings;
    }

    /** Returns false if the principal may not create some of the topics; it may not see them either. */
    private static boolean create(Admin admin, Collection<NewTopic> topics) throws Exception {
        var allowed = true;
        for (var created : admin.createTopics(topics).values().values()) {
            try {
                created.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthorizationException) {
                    allowed = false;
                } else if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
        }
        return allowed;
    }

    static List<NewTopic> all(KafkaSettings kafka) {
        var events = Map.of("retention.ms", THIRTY_DAYS_MS);
        var compacted = Map.of("cleanup.policy", "compact", "segment.ms", "3600000");
        // The broker's clock decides whether a token was valid: the clock of the sender cannot be trusted.
        // Uncompressed, so that the broker's limit
        // applies to the size that consumers need memory for.
        var reports = Map.of(
                "retention.ms",
                THIRTY_DAYS_MS,
                "message.timestamp.type",
                "LogAppendTime",
                "compression.type",
                "uncompressed");
        var topics = new ArrayList<NewTopic>();
        for (var name : List.of(
                CATALOG_EVENTS,
                INSTANCES_EVENTS,
                USAGE_EVENTS,
                BILLING_EVENTS,
                AUDIT_EVENTS,
                EVIDENCE_EVENTS,
                CONSISTENCY_EVENTS,
                CALLS,
                RUNTIME_REPORTS_REJECTED,
                TENANTS_EVENTS,
                STATUS_EVENTS)) {
            topics.add(topic(kafka, name, kafka.partitions(), events));
        }
        for (var name : List.of(RUNTIME_REPORTS, USAGE_FACTS, STATUS_REPORTS)) {
            topics.add(topic(kafka, name, kafka.partitions(), reports));
        }
        RUNTIME_BACKENDS.forEach(backend -> topics.add(runtimeCommandsTopic(kafka, backend)));
        // One partition, because all records of a state topic are ordered. There is one checkpoint per organization.
        for (var name : List.of(
                BILLING_STATE,
                IAM_STATE,
                AUTHZ_STATE,
                CATALOG_STATE,
                AUDIT_CHECKPOINTS,
                EVIDENCE_STATE,
                TENANTS_STATE)) {
            topics.add(topic(kafka, name, 1, compacted));
        }
        for (var name : List.of(
                IAM_STATE,
                AUTHZ_STATE,
                CATALOG_STATE,
                CATALOG_EVENTS,
                INSTANCES_EVENTS,
                USAGE_EVENTS,
                USAGE_FACTS,
                BILLING_EVENTS,
                BILLING_STATE,
                AUDIT_EVENTS,
                EVIDENCE_EVENTS,
                EVIDENCE_STATE,
                CONSISTENCY_EVENTS,
                CALLS,
                RUNTIME_REPORTS,
                RUNTIME_REPORTS_REJECTED,
                TENANTS_EVENTS,
                TENANTS_STATE,
                STATUS_EVENTS,
                STATUS_REPORTS)) {
            topics.add(topic(kafka, deadLetters(name), 1, events));
        }
        return topics;
    }

    private static NewTopic runtimeCommandsTopic(KafkaSettings kafka, String backend) {
        return topic(kafka, runtimeCommands(backend), kafka.partitions(), Map.of("retention.ms", THIRTY_DAYS_MS));
    }

    private static NewTopic topic(KafkaSettings kafka, String name, int partitions, Map<String, String> config) {
        return new NewTopic(kafka.topic(name), partitions, kafka.replication()).configs(config);
    }
}
