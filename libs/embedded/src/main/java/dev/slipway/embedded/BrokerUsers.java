package dev.slipway.embedded;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import static java.util.Map.entry;

/**
 * Secures an embedded broker: clients log in with SCRAM, and the broker itself and this class with a password that exists only in this
 * process. Users and ACLs are stored in Kafka's metadata and compared at every start, so data of an open broker can be used.
 */
final class BrokerUsers {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerUsers.class);
    private static final String SUPERUSER = "broker";
    /** The least that Kafka accepts. Stretching only protects guessable passwords; ours are random. */
    private static final int ITERATIONS = 4096;

    private static final int TIMEOUT_MS = 30_000;
    private static final long POLL_MS = 10;

    private final BrokerAccess access;
    private final Path passwordDigest;
    private final String superuserPassword;

    /** {@code directory} is that of Kafka's data. */
    BrokerUsers(BrokerAccess access, Path directory) {
        this.access = access;
        this.passwordDigest = directory.resolve(".password-digest");
        var random = new byte[32];
        new SecureRandom().nextBytes(random);
        this.superuserPassword = HexFormat.of().formatHex(random);
    }

    Map<String, String> brokerSettings() {
        var plainLogin = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + SUPERUSER
                + "\" password=\"" + superuserPassword + "\" user_" + SUPERUSER + "=\"" + superuserPassword + "\";";
        return Map.ofEntries(
                entry("listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT"),
                entry("listener.name.client.sasl.enabled.mechanisms", "SCRAM-SHA-256,PLAIN"),
                entry("listener.name.controller.sasl.enabled.mechanisms", "PLAIN"),
                entry("sasl.mechanism.inter.broker.protocol", "PLAIN"),
                entry("sasl.mechanism.controller.protocol", "PLAIN"),
                entry("listener.name.client.plain.sasl.jaas.config", plainLogin),
                entry("listener.name.controller.plain.sasl.jaas.config", plainLogin),
                entry(
                        "listener.name.client.scram-sha-256.sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;"),
                entry("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
                entry("super.users", "User:" + SUPERUSER));
    }

    /** Makes users and ACLs those of the access, and waits until the broker applies them. Ends the sessions of a previous process. */
    void apply(String bootstrap) {
        change(bootstrap, admin -> {
            applyPasswords(admin);
            applyAcls(admin);
            removeFormerMembers(admin);
        });
    }

    /** Adds users and ACLs, and waits until the broker applies them. */
    void add(String bootstrap, BrokerAccess more) {
        change(bootstrap, admin -> {
            upsertPasswords(admin, more.passwords());
            admin.createAcls(more.acls()).all().get();
            var deadlineNs = deadlineNs();
            while (!describeAcls(admin).containsAll(more.acls())) {
                pause(deadlineNs);
            }
        });
    }

    @FunctionalInterface
    private interface Change {
        void apply(Admin admin) throws ExecutionException, InterruptedException, IOException;
    }

    private void change(String bootstrap, Change change) {
        var settings = Map.<String, Object>of(
                "bootstrap.servers",
                bootstrap,
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + SUPERUSER
                        + "\" password=\"" + superuserPassword + "\";",
                "enable.metrics.push",
                "false",
                "default.api.timeout.ms",
                TIMEOUT_MS,
                "request.timeout.ms",
                TIMEOUT_MS);
        try (var admin = Admin.create(settings)) {
            change.apply(admin);
        } catch (ExecutionException | IOException e) {
            throw new EmbeddedException("the users of Kafka could not be created: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while creating the users of Kafka", e);
        }
    }

    /** Kafka does not tell whether a password is the same, and each one costs thousands of hashes: a digest of all is stored beside its data. */
    private void applyPasswords(Admin admin) throws ExecutionException, InterruptedException, IOException {
        var digest = digest(access.passwords());
        if (hasUsers(admin, access.passwords().keySet())
                && Files.exists(passwordDigest)
                && Files.readString(passwordDigest).equals(digest)) {
            return;
        }
        upsertPasswords(admin, access.passwords());
        Files.writeString(passwordDigest, digest);
    }

    private static void upsertPasswords(Admin admin, Map<String, String> passwords)
            throws ExecutionException, InterruptedException {
        var credential = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, ITERATIONS);
        List<UserScramCredentialAlteration> upsertions = passwords.entrySet().stream()
                .<UserScramCredentialAlteration>map(
                        user -> new UserScramCredentialUpsertion(user.getKey(), credential, user.getValue()))
                .toList();
        admin.alterUserScramCredentials(upsertions).all().get();
        var deadlineNs = deadlineNs();
        while (!hasUsers(admin, passwords.keySet())) {
            pause(deadlineNs);
        }
    }

    private static boolean hasUsers(Admin admin, Set<String> users) throws ExecutionException, InterruptedException {
        return admin.describeUserScramCredentials().users().get().containsAll(users);
    }

    private static long deadlineNs() {
        return System.nanoTime() + Duration.ofMillis(TIMEOUT_MS).toNanos();
    }

    /** The passwords are random, so that nothing can be guessed from the digest. */
    private static String digest(Map<String, String> passwords) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            return HexFormat.of()
                    .formatHex(sha256.digest(new TreeMap<>(passwords).toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private void applyAcls(Admin admin) throws ExecutionException, InterruptedException {
        var existing = describeAcls(admin);
        var missing = new HashSet<>(access.acls());
        missing.removeAll(existing);
        var unexpected = new HashSet<>(existing);
        unexpected.removeAll(access.acls());
        if (!missing.isEmpty()) {
            admin.createAcls(missing).all().get();
        }
        if (!unexpected.isEmpty()) {
            var deleted = admin.deleteAcls(
                            unexpected.stream().map(AclBinding::toFilter).toList())
                    .all();
            deleted.get();
        }
        var deadlineNs = deadlineNs();
        while (!describeAcls(admin).equals(access.acls())) {
            pause(deadlineNs);
        }
    }

    /**
     * Removes the members of in-process groups. They ran in a process that was killed, since a process that stops leaves its groups. New
     * members would wait until their sessions expire.
     */
    private void removeFormerMembers(Admin admin) throws ExecutionException, InterruptedException {
        var topics = admin.listTopics(new ListTopicsOptions().listInternal(true))
                .names()
                .get();
        if (access.inProcessGroups().isEmpty() || !topics.contains(Topic.GROUP_METADATA_TOPIC_NAME)) {
            return;
        }
        awaitGroups(admin);
        var listed =
                admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get();
        var removals = new HashMap<String, KafkaFuture<Void>>();
        for (var group : listed) {
            var isEmpty = group.groupState().map(GroupState.EMPTY::equals).orElse(false);
            if (!isEmpty && access.inProcessGroups().stream().anyMatch(group.groupId()::startsWith)) {
                removals.put(
                        group.groupId(),
                        admin.removeMembersFromConsumerGroup(
                                        group.groupId(), new RemoveMembersFromConsumerGroupOptions())
                                .all());
            }
        }
        for (var removal : removals.entrySet()) {
            try {
                removal.getValue().get();
            } catch (ExecutionException e) {
                // The session of a member can expire meanwhile; otherwise new members wait until it does.
                LOG.atDebug()
                        .addKeyValue("group", removal.getKey())
                        .setCause(e.getCause())
                        .log("members of a previous process were not removed");
            }
        }
    }

    /**
     * Waits until the broker has loaded the groups of all partitions: before that it lists those of some partitions only. A request for a
     * group is repeated until its partition is loaded, whether the group exists or not.
     */
    private static void awaitGroups(Admin admin) throws ExecutionException, InterruptedException {
        var names = IntStream.range(0, EmbeddedKafka.GROUP_PARTITIONS)
                .mapToObj(BrokerUsers::nameOfGroupIn)
                .toList();
        for (var described :
                admin.describeConsumerGroups(names).describedGroups().values()) {
            try {
                var unused = described.get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                    throw e;
                }
            }
        }
    }

    /** Returns a name that Kafka assigns to the partition: it takes the hash code modulo the number of partitions. */
    private static String nameOfGroupIn(int partition) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> "none-" + number)
                .filter(name -> Utils.abs(name.hashCode()) % EmbeddedKafka.GROUP_PARTITIONS == partition)
                .findFirst()
                .orElseThrow();
    }

    private static Set<AclBinding> describeAcls(Admin admin) throws ExecutionException, InterruptedException {
        return new HashSet<>(admin.describeAcls(AclBindingFilter.ANY).values().get());
    }

    private static void pause(long deadlineNs) {
        if (System.nanoTime() > deadlineNs) {
            throw new EmbeddedException("Kafka did not apply its users and ACLs within " + TIMEOUT_MS + " ms");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS));
    }
}
