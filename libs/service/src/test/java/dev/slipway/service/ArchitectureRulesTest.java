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

/** Each rule finds its violation in the fixture, and nothing else. */
class ArchitectureRulesTest {
    private static final String ROOT = "dev.slipway.fixture";
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(ROOT);
    private static final Path SOURCES = Path.of("src/test/java/dev/slipway/fixture");

    @Test
    void pureDomain_findsFrameworkDependency() {
        assertThat(culprits(ArchitectureRules.pureDomain())).containsExactly("FrameworkDependentOrder");
    }

    @Test
    void noClockInTheDomain_findsClockAndRandom() {
        assertThat(culprits(ArchitectureRules.noClockInDomain())).containsExactly("ClockReadingOrder", "RandomOrder");
    }

    @Test
    void sqlOnlyIn_findsHandler() {
        assertThat(culprits(ArchitectureRules.sqlOnlyIn("Store", "Verticle"))).containsExactly("OrderApi");
    }

    @Test
    void columnsByName_findsPosition() {
        assertThat(culprits(ArchitectureRules.columnsByName())).containsExactly("PositionalOrderStore");
    }

    @Test
    void kafkaOnlyIn_findsHandler() {
        assertThat(culprits(ArchitectureRules.kafkaOnlyIn())).containsExactly("OrderApi");
        assertThat(culprits(ArchitectureRules.kafkaOnlyIn(ROOT + ".order.."))).isEmpty();
    }

    @Test
    void noBlockingCalls_findsBlockingCalls_exceptInMain() {
        assertThat(culprits(ArchitectureRules.noBlockingCalls()))
                .containsExactly("BlockingOrders", "JdbcOrders", "OrderApi");
        assertThat(details(ArchitectureRules.noBlockingCalls()))
                .anyMatch(line -> line.contains("Thread.sleep"))
                .anyMatch(line -> line.contains("Future.await"))
                .anyMatch(line -> line.contains("CompletableFuture.join"))
                .anyMatch(line -> line.contains("java.sql.Connection"));
    }

    @Test
    void aggregatesDependOnlyOnDomains_findsStoreOfOtherAggregate_inAggregatesAndSharedParts() {
        assertThat(culprits(ArchitectureRules.aggregatesDependOnlyOnDomains(ROOT)))
                .containsExactly("CustomerApi", "DiscountList", "OrderEvents");
        assertThat(details(ArchitectureRules.aggregatesDependOnlyOnDomains(ROOT)))
                .noneMatch(line -> line.contains("domain.Order"))
                .noneMatch(line -> line.contains("DiscountStore"));
    }

    @Test
    void noCycles_findsCycle() {
        assertThat(details(ArchitectureRules.noCycles(ROOT))).anyMatch(line -> line.contains("Cycle detected"));
    }

    @Test
    void plainNames_findsUtils() {
        assertThat(culprits(ArchitectureRules.plainNames())).containsExactly("OrderUtils");
    }

    @Test
    void environmentOnlyInMain_findsHandler() {
        assertThat(culprits(ArchitectureRules.environmentOnlyInMain())).containsExactly("OrderApi");
    }

    @Test
    void oneEnumText_findsMappingsInBothDirections() {
        assertThat(culprits(ArchitectureRules.oneEnumText())).containsExactly("OrderParser", "OrderStatus");
        assertThat(details(ArchitectureRules.oneEnumText())).hasSize(2);
    }

    @Test
    void roleNamesIn_findsLiteral() {
        assertThat(ArchitectureRules.findRoleNames(SOURCES)).containsExactly("OrderApi.java: project_owner");
        assertThat(ArchitectureRules.findRoleNames(SOURCES, "OrderApi.java")).isEmpty();
    }

    private static List<String> details(ArchRule rule) {
        return rule.evaluate(FIXTURE).getFailureReport().getDetails();
    }

    /** Returns the violating classes: the first one in each line of the report. */
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
