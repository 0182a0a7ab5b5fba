package dev.slipway.service;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Each rule finds exactly what was planted against it, and leaves what is as it should be alone. */
class ArchitectureRulesTest {
    private static final String ROOT = "dev.slipway.fixture";
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(ROOT);
    private static final Path SOURCES = Path.of("src/test/java/dev/slipway/fixture");

    @Test
    void pureDomain_findsAFramework() {
        assertThat(culprits(ArchitectureRules.pureDomain(ROOT))).containsExactly("LeakyOrder");
    }

    @Test
    void noClockInTheDomain_findsTheClockAndTheDice() {
        assertThat(culprits(ArchitectureRules.noClockInTheDomain())).containsExactly("RandomOrder", "TimelyOrder");
    }

    @Test
    void sqlOnlyIn_findsTheHandler() {
        assertThat(culprits(ArchitectureRules.sqlOnlyIn("Store", "Verticle"))).containsExactly("OrderApi");
    }

    @Test
    void kafkaOnlyIn_findsTheHandler() {
        assertThat(culprits(ArchitectureRules.kafkaOnlyIn())).containsExactly("OrderApi");
        assertThat(culprits(ArchitectureRules.kafkaOnlyIn(ROOT + ".order.."))).isEmpty();
    }

    @Test
    void nobodyWaits_findsWhoeverDoes_butNotTheMain() {
        assertThat(culprits(ArchitectureRules.nobodyWaits())).containsExactly("JdbcOrders", "OrderApi", "SleepyOrders");
        assertThat(details(ArchitectureRules.nobodyWaits()))
                .anyMatch(line -> line.contains("Thread.sleep"))
                .anyMatch(line -> line.contains("Future.await"))
                .anyMatch(line -> line.contains("CompletableFuture.join"))
                .anyMatch(line -> line.contains("java.sql.Connection"));
    }

    @Test
    void aggregatesKnowOnlyEachOthersDomain_findsTheForeignStore() {
        assertThat(culprits(ArchitectureRules.aggregatesKnowOnlyEachOthersDomain(ROOT)))
                .containsExactly("CustomerApi", "OrderEvents");
        assertThat(details(ArchitectureRules.aggregatesKnowOnlyEachOthersDomain(ROOT)))
                .noneMatch(line -> line.contains("domain.Order"));
        assertThat(culprits(ArchitectureRules.aggregatesKnowOnlyEachOthersDomain(ROOT, "OrderStore")))
                .containsExactly("OrderEvents");
    }

    @Test
    void noCycles_findsTheCircle() {
        assertThat(details(ArchitectureRules.noCycles(ROOT))).anyMatch(line -> line.contains("Cycle detected"));
    }

    @Test
    void plainNames_findsTheDrawer() {
        assertThat(culprits(ArchitectureRules.plainNames())).containsExactly("OrderUtils");
    }

    @Test
    void environmentOnlyInMain_findsTheHandler() {
        assertThat(culprits(ArchitectureRules.environmentOnlyInMain())).containsExactly("OrderApi");
    }

    @Test
    void roleNamesIn_findsTheLiteral() {
        assertThat(ArchitectureRules.roleNamesIn(SOURCES)).containsExactly("OrderApi.java: project_owner");
        assertThat(ArchitectureRules.roleNamesIn(SOURCES, "OrderApi.java")).isEmpty();
    }

    private static List<String> details(ArchRule rule) {
        return rule.evaluate(FIXTURE).getFailureReport().getDetails();
    }

    /** The classes that a rule complains of: the first one that each of its lines names. */
    private static SortedSet<String> culprits(ArchRule rule) {
        var name = Pattern.compile("dev\\.slipway\\.fixture\\.[a-z.]*([A-Z][A-Za-z]*)");
        return details(rule).stream()
                .map(line -> {
                    var matcher = name.matcher(line);
                    assertThat(matcher.find()).as(line).isTrue();
                    return matcher.group(1);
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
