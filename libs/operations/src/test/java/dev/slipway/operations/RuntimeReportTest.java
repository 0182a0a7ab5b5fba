package dev.slipway.operations;

import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class RuntimeReportTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final UUID ID = UUID.fromString("01900000-0000-7000-8000-000000000001");
    private static final int GENERATION = 3;

    @Test
    void runsTargetVersion_isFalse_whenAReportIsOutdatedOrNamesAnotherVersion() {
        var failed = OperationLifecycle.reportFailed(upgrade(), "late", NOW).next();

        assertThat(running(GENERATION, "1.0.0").runsTargetVersion(failed, GENERATION))
                .isFalse();
        assertThat(running(GENERATION - 1, "2.0.0").runsTargetVersion(failed, GENERATION))
                .isFalse();
        assertThat(running(GENERATION, "2.0.0").runsTargetVersion(upgrade(), GENERATION))
                .isFalse();
        assertThat(running(GENERATION, "2.0.0").runsTargetVersion(null, GENERATION))
                .isFalse();
    }

    @Test
    void runsTargetVersion_whenALateReportNamesItOrTheOperationSucceeds() {
        var failed = OperationLifecycle.reportFailed(upgrade(), "late", NOW).next();

        assertThat(running(GENERATION, "2.0.0").runsTargetVersion(failed, GENERATION))
                .isTrue();
        assertThat(result("succeeded").runsTargetVersion(upgrade(), GENERATION)).isTrue();
        assertThat(result("failed").runsTargetVersion(upgrade(), GENERATION)).isFalse();
    }

    private static RuntimeReport running(int generation, String version) {
        return report(ReportType.RUNNING, "\"generation\":" + generation + ",\"app_version\":\"" + version + "\"");
    }

    private static RuntimeReport result(String status) {
        return report(ReportType.OPERATION, "\"generation\":" + GENERATION + ",\"status\":\"" + status + "\"");
    }

    private static RuntimeReport report(ReportType type, String fields) {
        var payload =
                Json.parseStoredObject("{\"org_id\":\"" + ID + "\",\"command_id\":\"" + ID + "\"," + fields + "}");
        return new RuntimeReport(
                new Principal(ID, ActorType.ADAPTER, "adapter", ID, null, null, null, Set.of(), null, null),
                new Envelope(ID, "runtime.report", NOW, 1, "c", payload),
                type,
                Json.toRecord(payload, RuntimeReport.Payload.class));
    }

    private static Operation upgrade() {
        var requested = NewOperation.ofKind(
                        Kind.UPGRADE, ID, "apps.instance.update", new Requester(ID, ID), NOW.plusSeconds(60), ID)
                .withVersions("1.0.0", "2.0.0");
        return OperationLifecycle.accept(requested, new SubjectRef(SubjectKind.APP_INSTANCE, ID, ID, ID), "c", NOW);
    }
}
