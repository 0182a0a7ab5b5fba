package dev.slipway.standalone;

import dev.slipway.embedded.BrokerAccess;
import dev.slipway.messaging.BrokerAcls;
import dev.slipway.standalone.StandaloneMain.StartException;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The principals of the embedded broker: a file of Kafka client settings with a random password for each, in the home directory. The
 * in-process services use them, and so can adapters and command-line tools on this machine.
 */
final class KafkaClientFiles {
    private static final String JAAS = "sasl.jaas.config";
    private static final Pattern ADAPTER_FILE = Pattern.compile("adapter-(.+)\\.properties");
    private static final Pattern PASSWORD = Pattern.compile("password=\"([^\"]+)\"");

    private static final Map<String, String> LONG_SESSIONS = Map.of(
            "session.timeout.ms", "45000",
            "heartbeat.interval.ms", "15000",
            "fetch.max.wait.ms", "20000");

    private final Path directory;
    private final Map<String, String> common;
    /** Backends that are not built in, for whose adapters there is a file. */
    private final Set<String> registeredBackends = new TreeSet<>();

    private final Map<String, String> passwords = new TreeMap<>();
    private final Map<String, Map<String, String>> clients = new HashMap<>();

    /** The login of a principal, for other programs. */
    record Login(String bootstrap, String securityProtocol, String mechanism, String user, String password) {}

    private KafkaClientFiles(Path directory, Map<String, String> common) {
        this.directory = directory;
        this.common = common;
    }

    /** Reads the files, or creates them at the first start. {@code common} are settings that all clients share. */
    static KafkaClientFiles open(Path home, Map<String, String> common) {
        var files = new KafkaClientFiles(home.resolve("kafka-clients"), common);
        try {
            for (var principal : BrokerAcls.principals()) {
                files.open(principal);
            }
            for (var backend : files.findRegisteredBackends()) {
                files.open(BrokerAcls.adapter(backend));
                files.registeredBackends.add(backend);
            }
            return files;
        } catch (IOException e) {
            throw new StartException("cannot write to " + files.directory + ": " + e);
        }
    }

    static Path file(Path home, String principal) {
        return home.resolve("kafka-clients").resolve(principal + ".properties");
    }

    BrokerAccess brokerAccess(String topicPrefix) {
        var rules = new ArrayList<>(BrokerAcls.rules());
        registeredBackends.forEach(backend -> rules.addAll(BrokerAcls.adapterRules(backend)));
        return new BrokerAccess(
                passwords,
                new HashSet<>(BrokerAcls.bindings(rules, topicPrefix)),
                BrokerAcls.serviceGroups(topicPrefix));
    }

    /**
     * Creates the login of the adapter of a backend that was registered at run time, unless there is one. Blocks.
     *
     * @param grant makes the broker accept it; the file is written after that
     */
    synchronized void addAdapter(String backend, String topicPrefix, Consumer<BrokerAccess> grant) throws IOException {
        var principal = BrokerAcls.adapter(backend);
        if (passwords.containsKey(principal)) {
            return;
        }
        var password = newPassword();
        grant.accept(new BrokerAccess(
                Map.of(principal, password),
                new HashSet<>(BrokerAcls.bindings(BrokerAcls.adapterRules(backend), topicPrefix))));
        write(principal, password);
        registeredBackends.add(backend);
    }

    private List<String> findRegisteredBackends() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> ADAPTER_FILE.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(name -> name.group(1))
                    .filter(backend -> !passwords.containsKey(BrokerAcls.adapter(backend)))
                    .toList();
        }
    }

    /**
     * Returns the settings by principal for clients in the process of the broker. Nobody takes over the partitions of these clients, because
     * the broker ends with them. Their sessions can therefore be long, and they need few heartbeats and fetches.
     */
    Map<String, Map<String, String>> inProcessClients() {
        if (common.keySet().stream().anyMatch(LONG_SESSIONS::containsKey)) {
            return clients; // the settings depend on each other
        }
        var withLongSessions = new HashMap<String, Map<String, String>>();
        clients.forEach((principal, client) -> {
            var settings = new HashMap<>(client);
            settings.putAll(LONG_SESSIONS);
            withLongSessions.put(principal, settings);
        });
        return withLongSessions;
    }

    Login login(String principal, String bootstrap) {
        return new Login(
                bootstrap, "SASL_PLAINTEXT", "SCRAM-SHA-256", principal, passwords.getOrDefault(principal, ""));
    }

    private void open(String principal) throws IOException {
        var file = directory.resolve(principal + ".properties");
        write(principal, Files.exists(file) ? readPassword(file) : newPassword());
    }

    private void write(String principal, String password) throws IOException {
        var client = new TreeMap<>(common);
        client.put("security.protocol", "SASL_PLAINTEXT");
        client.put("sasl.mechanism", "SCRAM-SHA-256");
        client.put(
                JAAS,
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + principal
                        + "\" password=\"" + password + "\";");
        var properties = new Properties();
        properties.putAll(client);
        var text = new StringWriter();
        properties.store(text, "Kafka client settings of " + principal);
        HomeDirectory.writeOwnerOnly(directory.resolve(principal + ".properties"), text.toString());
        passwords.put(principal, password);
        clients.put(principal, client);
    }

    private static String readPassword(Path file) throws IOException {
        var properties = new Properties();
        properties.load(new StringReader(Files.readString(file)));
        var password = PASSWORD.matcher(properties.getProperty(JAAS, ""));
        return password.find() ? password.group(1) : newPassword();
    }

    private static String newPassword() {
        var random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
}
