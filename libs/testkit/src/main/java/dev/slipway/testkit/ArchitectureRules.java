package dev.slipway.testkit;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.slipway.contract.RoleRegistry;
import org.junit.jupiter.api.DynamicTest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** Architecture rules of all modules. {@code root} is the package of the module. */
public final class ArchitectureRules {
    private static final Pattern HOST_NAME =
            Pattern.compile("\"[^\"\\n]*\\b[a-z0-9-]+\\.(com|org|net|io|dev|cloud|ai)\\b(?!\\.)[^\"\\n]*\"");

    private ArchitectureRules() {}

    /** Returns a test for each rule of a service. */
    public static Stream<DynamicTest> ofService(String root) {
        return tests(
                production(root),
                pureDomain(),
                noClockInDomain(),
                sqlOnlyIn("Store", "Verticle"),
                columnsByName(),
                kafkaOnlyIn(),
                noBlockingCalls(),
                aggregatesDependOnlyOnDomains(root),
                noCycles(root),
                plainNames(),
                environmentOnlyInMain(),
                oneEnumText());
    }

    public static Stream<DynamicTest> tests(JavaClasses classes, ArchRule... rules) {
        return Stream.of(rules).map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(classes)));
    }

    /** Imports the production classes. */
    public static JavaClasses production(String... packages) {
        return new ClassFileImporter().withImportOption(new DoNotIncludeTests()).importPackages(packages);
    }

    public static ArchRule pureDomain() {
        return classes()
                .that()
                .resideInAPackage("..domain..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "dev.slipway..domain..")
                .as("the domain uses only Java and other domain packages")
                .allowEmptyShould(true);
    }

    /** Ids and time are arguments: a decision does not depend on when it is made. */
    public static ArchRule noClockInDomain() {
        return noClasses()
                .that()
                .resideInAPackage("..domain..")
                .should()
                .callMethodWhere(target("asks for the time, an id or a number", call -> {
                    var owner = call.getOwner().getPackageName();
                    return (owner.startsWith("java.time")
                                    && Set.of("now", "systemUTC", "instant").contains(call.getName()))
                            || (call.getOwner().isEquivalentTo(java.util.UUID.class)
                                    && call.getName().equals("randomUUID"))
                            || (call.getOwner().isEquivalentTo(Math.class)
                                    && call.getName().equals("random"))
                            || (call.getOwner().isEquivalentTo(System.class)
                                    && Set.of("currentTimeMillis", "nanoTime").contains(call.getName()));
                }))
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.(util|security)\\..*Random")
                .as("the domain has no clock and no random numbers")
                .allowEmptyShould(true);
    }

    public static ArchRule sqlOnlyIn(String... suffixes) {
        return noClasses()
                .that(are(notPartOf(suffixes)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx.sqlclient..", "io.vertx.pgclient..")
                .as("SQL is in *" + String.join(" and *", suffixes))
                .allowEmptyShould(true);
    }

    /** A position changes its meaning when a column is added before it. */
    public static ArchRule columnsByName() {
        return noClasses()
                .should()
                .callMethodWhere(target(
                        "reads a column by its position",
                        call -> call.getOwner().isAssignableTo("io.vertx.sqlclient.Row")
                                && call.getName().startsWith("get")
                                && !call.getName().equals("getColumnName")
                                && call.getRawParameterTypes().stream()
                                        .anyMatch(type -> type.isEquivalentTo(int.class))))
                .as("columns are read by name")
                .allowEmptyShould(true);
    }

    /** Services use Kafka only through libs/messaging. */
    public static ArchRule kafkaOnlyIn(String... packages) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx.kafka..", "org.apache.kafka..")
                .as("Kafka's own classes are used in " + List.of(packages) + " only")
                .allowEmptyShould(true);
    }

    /** Event loops must not block. A main method may: nothing else runs on its thread. */
    public static ArchRule noBlockingCalls() {
        return noClasses()
                .that(are(notPartOf("Main")))
                .should()
                .callMethodWhere(target("waits", ArchitectureRules::isBlockingCall))
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.sql..")
                .as("no blocking calls: no await, join, get or sleep, no java.sql")
                .allowEmptyShould(true);
    }

    private static boolean isBlockingCall(AccessTarget.MethodCallTarget call) {
        var owner = call.getOwner();
        var name = call.getName();
        return (owner.isEquivalentTo(java.util.concurrent.CompletableFuture.class)
                        && Set.of("get", "join").contains(name))
                || (owner.getName().equals("io.vertx.core.Future") && name.equals("await"))
                || (owner.isEquivalentTo(Thread.class)
                        && Set.of("sleep", "join").contains(name));
    }

    /**
     * An aggregate is a package below the service's package with an {@code *Api}; the packages without one are shared parts, which all may use.
     * Aggregates and shared parts use only the domain of an aggregate, and nothing of the service's own package, which wires them.
     */
    public static ArchRule aggregatesDependOnlyOnDomains(String root) {
        return classes()
                .that()
                .resideInAPackage(root + ".*..")
                .should(new ArchCondition<>("know only the domain of other aggregates") {
                    private Set<String> aggregates = Set.of();

                    @Override
                    public void init(Collection<JavaClass> all) {
                        aggregates = all.stream()
                                .filter(type -> outermost(type).endsWith("Api"))
                                .map(type -> part(root, type))
                                .collect(Collectors.toSet());
                    }

                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        for (var dependency : item.getDirectDependenciesFromSelf()) {
                            if (isForbidden(dependency.getTargetClass(), part(root, item))) {
                                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                            }
                        }
                    }

                    private boolean isForbidden(JavaClass target, String from) {
                        var in = target.getPackageName();
                        if (in.equals(root)) {
                            return true;
                        }
                        if (!in.startsWith(root + ".")) {
                            return false;
                        }
                        var to = part(root, target);
                        return !to.equals(from)
                                && aggregates.contains(to)
                                && !(in + ".").startsWith(root + "." + to + ".domain.");
                    }
                })
                .as("aggregates and shared parts know only the domain of an aggregate")
                .allowEmptyShould(true);
    }

    /** Returns the name of the aggregate or shared part of a class: its package's first segment below the service's package. */
    private static String part(String root, JavaClass of) {
        return of.getPackageName().substring(root.length() + 1).split("\\.", -1)[0];
    }

    public static ArchRule noCycles(String root) {
        return slices().matching(root + ".(*)..")
                .should()
                .beFreeOfCycles()
                .as("packages have no cycles")
                .allowEmptyShould(true);
    }

    public static ArchRule plainNames() {
        return noClasses()
                .should()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Utils")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Impl")
                .as("no class is a Util, Helper or Impl");
    }

    public static ArchRule environmentOnlyInMain() {
        return noClasses()
                .that(are(notPartOf("Main")))
                .should()
                .callMethodWhere(target(
                        "reads the environment",
                        call -> call.getOwner().isEquivalentTo(System.class)
                                && call.getName().equals("getenv")))
                .as("the environment is read in *Main")
                .allowEmptyShould(true);
    }

    /**
     * Texts of enums come from {@code TextEnum}, and on the wire from {@code Json}. A class that changes the case of text and reads names of
     * enums, or looks constants up by name, has a mapping of its own.
     */
    public static ArchRule oneEnumText() {
        return classes()
                .that()
                .doNotHaveFullyQualifiedName("dev.slipway.contract.domain.TextEnum")
                .and()
                .doNotHaveFullyQualifiedName("dev.slipway.contract.Json$EnumSerializer")
                .and()
                .doNotHaveFullyQualifiedName("dev.slipway.contract.ErrorCode")
                .should(new ArchCondition<>("not map the names of enums to text") {
                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        reportBoth(item, "toLowerCase", "name", events);
                        reportBoth(item, "toUpperCase", "valueOf", events);
                    }

                    private void reportBoth(
                            JavaClass item, String stringMethod, String enumMethod, ConditionEvents events) {
                        var changesCase = item.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(String.class)
                                        && call.getName().equals(stringMethod));
                        if (changesCase) {
                            item.getMethodCallsFromSelf().stream()
                                    .filter(call -> call.getTargetOwner().isAssignableTo(Enum.class)
                                            && call.getName().equals(enumMethod))
                                    .forEach(call ->
                                            events.add(SimpleConditionEvent.violated(call, call.getDescription())));
                        }
                    }
                })
                .as("the texts of enums come from TextEnum")
                .allowEmptyShould(true);
    }

    /**
     * Returns the names of built-in roles in the sources of a module, each with its file: handlers check actions. The machine role is
     * skipped, as it has the name of its principal type.
     */
    public static List<String> findRoleNames(Path sources, String... exceptFiles) {
        var names = Pattern.compile(RoleRegistry.load().roles().stream()
                .filter(role -> !role.level().equals("machine"))
                .map(RoleRegistry.Role::name)
                .collect(Collectors.joining("|", "\\b(", ")\\b")));
        return findIn(sources, names, exceptFiles);
    }

    /** Returns the string literals below a directory that contain a host name. */
    public static List<String> findHostNames(Path sources, String... exceptFiles) {
        return findIn(sources, HOST_NAME, exceptFiles);
    }

    private static List<String> findIn(Path sources, Pattern what, String... exceptFiles) {
        try (var files = Files.walk(sources)) {
            var found = new ArrayList<String>();
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                if (!Set.of(exceptFiles).contains(file.getFileName().toString())) {
                    what.matcher(Files.readString(file))
                            .results()
                            .forEach(match -> found.add(file.getFileName() + ": " + match.group()));
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DescribedPredicate<JavaMethodCall> target(
            String what, java.util.function.Predicate<AccessTarget.MethodCallTarget> of) {
        return DescribedPredicate.describe(what, call -> of.test(call.getTarget()));
    }

    private static DescribedPredicate<JavaClass> notPartOf(String... suffixes) {
        return DescribedPredicate.describe("not in *" + String.join(", *", suffixes), type -> {
            var name = outermost(type);
            return Stream.of(suffixes).noneMatch(name::endsWith);
        });
    }

    /** Returns the outermost class. */
    private static String outermost(JavaClass type) {
        var outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return outermost.getSimpleName();
    }
}
