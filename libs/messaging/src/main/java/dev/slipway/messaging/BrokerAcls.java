package dev.slipway.messaging;

import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Map.entry;

/** The principals of the platform at the broker and what each of them may do. docs/production.md has the same table. */
public final class BrokerAcls {
    /** Creates topics, and observes the progress of the consumers in a process with several services. */
    public static final String PLATFORM = "platform";
    /** Reads every topic and replays dead letters. */
    public static final String OPERATOR = "operator";
    /** Reads the events of the demo. */
    public static final String DEMO = "demo";

    /** Reports usage of products. Its records need a token, too. */
    private static final String USAGE_REPORTER = "usage-reporter";

    /** Runs the conformance kit, and an adapter under test, on topics of their own. */
    private static final String CONFORMANCE = "conformance";

    private static final List<String> SERVICES = List.of("iam", "catalog", "instances", "audit", "metering", "tenants");

    /** The topics that a service consumes. It sends records that it cannot apply to their dead-letter topics. */
    private static final Map<String, List<String>> CONSUMED = Map.of(
            "iam",
            List.of(Topics.INSTANCES_EVENTS, Topics.CATALOG_STATE, Topics.CATALOG_EVENTS),
            "catalog",
            List.of(Topics.AUTHZ_STATE, Topics.IAM_STATE, Topics.INSTANCES_EVENTS, Topics.EVIDENCE_STATE),
            "instances",
            List.of(Topics.RUNTIME_REPORTS, Topics.IAM_STATE, Topics.CATALOG_STATE, Topics.BILLING_STATE),
            "audit",
            List.of(
                    Topics.AUDIT_EVENTS,
                    Topics.INSTANCES_EVENTS,
                    Topics.CATALOG_EVENTS,
                    Topics.BILLING_EVENTS,
                    Topics.CATALOG_STATE,
                    Topics.EVIDENCE_EVENTS,
                    Topics.USAGE_EVENTS,
                    Topics.RUNTIME_REPORTS_REJECTED,
                    Topics.CALLS,
                    Topics.TENANTS_EVENTS,
                    Topics.STATUS_EVENTS,
                    Topics.STATUS_REPORTS,
                    Topics.RUNTIME_REPORTS),
            "metering",
            List.of(
                    Topics.USAGE_EVENTS,
                    Topics.USAGE_FACTS,
                    Topics.INSTANCES_EVENTS,
                    Topics.CATALOG_STATE,
                    Topics.RUNTIME_REPORTS,
                    Topics.IAM_STATE,
                    Topics.TENANTS_EVENTS),
            "tenants",
            List.of(Topics.CATALOG_STATE, Topics.TENANTS_STATE));

    private static final Map<String, List<String>> PUBLISHED = Map.ofEntries(
            entry("iam", List.of(Topics.AUTHZ_STATE, Topics.IAM_STATE, Topics.AUDIT_EVENTS)),
            entry("catalog", List.of(Topics.CATALOG_STATE, Topics.CATALOG_EVENTS, Topics.AUDIT_EVENTS)),
            entry(
                    "instances",
                    List.of(
                            Topics.INSTANCES_EVENTS,
                            Topics.USAGE_EVENTS,
                            Topics.AUDIT_EVENTS,
                            Topics.RUNTIME_REPORTS_REJECTED)),
            entry(
                    "audit",
                    List.of(
                            Topics.AUDIT_EVENTS,
                            Topics.AUDIT_CHECKPOINTS,
                            Topics.EVIDENCE_EVENTS,
                            Topics.EVIDENCE_STATE,
                            Topics.STATUS_EVENTS)),
            entry("metering", List.of(Topics.BILLING_STATE, Topics.BILLING_EVENTS, Topics.AUDIT_EVENTS)),
            entry("tenants", List.of(Topics.TENANTS_EVENTS, Topics.TENANTS_STATE, Topics.AUDIT_EVENTS)),
            entry("gateway", List.of(Topics.CALLS, Topics.AUDIT_EVENTS)));

    /** The services that compare the claims of others with their own rows. Every service publishes claims and results. */
    private static final List<String> VERIFIERS = List.of("catalog", "audit", "metering");

    private static final List<String> PUBLIC = List.of(
            Topics.CATALOG_EVENTS,
            Topics.INSTANCES_EVENTS,
            Topics.USAGE_EVENTS,
            Topics.AUDIT_EVENTS,
            Topics.TENANTS_EVENTS);

    private BrokerAcls() {}

    /** One row of the table. A name that ends with {@code *} represents all names that begin like it. */
    public record Rule(String principal, String resource, String name, List<AclOperation> operations) {
        Stream<AclBinding> bindings(String topicPrefix) {
            var prefixed = name.endsWith("*");
            var fullName = topicPrefix + (prefixed ? name.substring(0, name.length() - 1) : name);
            var type = fullName.isEmpty() || !prefixed ? PatternType.LITERAL : PatternType.PREFIXED;
            var pattern = new ResourcePattern(
                    ResourceType.fromString(resource),
                    fullName.isEmpty() ? ResourcePattern.WILDCARD_RESOURCE : fullName,
                    type);
            return operations.stream()
                    .map(operation -> new AclBinding(
                            pattern,
                            new AccessControlEntry("User:" + principal, "*", operation, AclPermissionType.ALLOW)));
        }
    }

    /** Returns the principal of the adapter of a runtime backend. */
    public static String adapter(String backend) {
        return "adapter-" + backend;
    }

    /** Returns all principals. */
    public static List<String> principals() {
        return rules().stream().map(Rule::principal).distinct().toList();
    }

    /** Returns the table in the order of the documentation. */
    public static List<Rule> rules() {
        var rules = new ArrayList<Rule>();
        for (var service : SERVICES) {
            var consumed = consumed(service);
            addTopics(rules, service, PUBLISHED.getOrDefault(service, List.of()), AclOperation.WRITE);
            rules.add(topic(service, Topics.CONSISTENCY_EVENTS, AclOperation.WRITE));
            rules.add(topic(service, Topics.STATUS_REPORTS, AclOperation.WRITE));
            if (service.equals("instances")) {
                rules.add(topic(service, "runtime.commands.*", AclOperation.CREATE, AclOperation.WRITE));
            }
            addTopics(rules, service, consumed, AclOperation.READ);
            if (!consumed.contains(Topics.AUTHZ_STATE)) {
                rules.add(topic(service, Topics.AUTHZ_STATE, AclOperation.READ));
            }
            addTopics(rules, service, consumed.stream().map(Topics::deadLetters).toList(), AclOperation.WRITE);
            rules.add(group(service, service + ".*", AclOperation.READ));
        }
        addTopics(rules, "gateway", PUBLISHED.getOrDefault("gateway", List.of()), AclOperation.WRITE);
        rules.add(topic("gateway", Topics.STATUS_REPORTS, AclOperation.WRITE));
        rules.add(topic("gateway", Topics.AUTHZ_STATE, AclOperation.READ));
        for (var backend : Topics.RUNTIME_BACKENDS) {
            rules.addAll(adapterRules(backend));
        }
        rules.add(topic(USAGE_REPORTER, Topics.USAGE_FACTS, AclOperation.WRITE));
        rules.add(topic(PLATFORM, "*", AclOperation.CREATE, AclOperation.DESCRIBE));
        addTopics(rules, PLATFORM, List.of(Topics.AUTHZ_STATE, Topics.CATALOG_STATE), AclOperation.READ);
        // One report per process, regardless of the services it runs.
        rules.add(topic(PLATFORM, Topics.STATUS_REPORTS, AclOperation.WRITE));
        rules.add(group(PLATFORM, "*", AclOperation.DESCRIBE));
        rules.add(topic(OPERATOR, "*", AclOperation.READ));
        rules.add(group(OPERATOR, "operator.*", AclOperation.READ));
        var replayed = SERVICES.stream()
                .flatMap(service -> consumed(service).stream())
                .distinct()
                .toList();
        addTopics(rules, OPERATOR, replayed, AclOperation.WRITE);
        addTopics(rules, DEMO, PUBLIC, AclOperation.READ);
        rules.add(group(DEMO, "demo.*", AclOperation.READ));
        rules.add(topic(
                CONFORMANCE,
                "conformance-*",
                AclOperation.CREATE,
                AclOperation.DELETE,
                AclOperation.READ,
                AclOperation.WRITE));
        rules.add(group(CONFORMANCE, "conformance-*", AclOperation.READ));
        return rules;
    }

    /** Returns the rows of the adapter of a runtime backend, which may have been registered at run time. */
    public static List<Rule> adapterRules(String backend) {
        var adapter = adapter(backend);
        return List.of(
                topic(adapter, Topics.runtimeCommands(backend), AclOperation.READ),
                topic(adapter, Topics.RUNTIME_REPORTS, AclOperation.WRITE),
                group(adapter, "adapter." + backend, AclOperation.READ));
    }

    /** Returns the beginnings of the names of the consumer groups of services. */
    public static Set<String> serviceGroups(String topicPrefix) {
        return SERVICES.stream().map(service -> topicPrefix + service + ".").collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the ACLs of the rules, for topics and groups with the prefix. */
    public static List<AclBinding> bindings(List<Rule> rules, String topicPrefix) {
        return rules.stream().flatMap(rule -> rule.bindings(topicPrefix)).toList();
    }

    private static List<String> consumed(String service) {
        var topics = new ArrayList<>(CONSUMED.getOrDefault(service, List.of()));
        if (VERIFIERS.contains(service)) {
            topics.add(Topics.CONSISTENCY_EVENTS);
        }
        return topics;
    }

    private static void addTopics(List<Rule> rules, String principal, List<String> topics, AclOperation operation) {
        topics.forEach(topic -> rules.add(topic(principal, topic, operation)));
    }

    private static Rule topic(String principal, String name, AclOperation... operations) {
        return new Rule(principal, "topic", name, Arrays.asList(operations));
    }

    private static Rule group(String principal, String name, AclOperation... operations) {
        return new Rule(principal, "group", name, Arrays.asList(operations));
    }
}
