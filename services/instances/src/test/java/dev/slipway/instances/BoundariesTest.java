package dev.slipway.instances;

import dev.slipway.testkit.ArchitectureRules;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class BoundariesTest {
    /** Every change of an instance is part of its history, and most tell its adapter to do something. */
    @TestFactory
    Stream<DynamicTest> service_keepsItsBoundaries() {
        return ArchitectureRules.ofService(
                "dev.slipway.instances",
                "HistoryStore",
                "CommandStore",
                "AdapterStore",
                "Heartbeats",
                "AppInstanceStore",
                "AppInstanceJson",
                "AdmissionStore",
                "OperationStore",
                "OperationJson",
                "OperationReports",
                "MemberIssue",
                "PlanStore",
                "PlanJson",
                "Deadlines",
                "Report",
                "ReportHandler",
                "ReportRouter",
                "ManifestStore");
    }

    @Test
    @Proves("2.22")
    void noHandler_readsARolesName() {
        assertThat(ArchitectureRules.roleNamesIn(Path.of("src/main/java"))).isEmpty();
    }
}
