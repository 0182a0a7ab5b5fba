package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.Member.ObservedState;
import dev.slipway.instances.member.domain.MemberReport;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.instances.appinstance.domain.DecisionFixture.*;
import static org.assertj.core.api.Assertions.assertThat;

class InstanceReportsTest {
    private static final int GENERATION = 3;
    private static final Blocker BLOCKER = new Blocker("runtime_silent", "no report", "adapter");
    private static final VersionChange TARGET = new VersionChange(NEXT_VERSION, "{}", LifecycleSettings.DEFAULT, null);

    @Test
    void running_endsTheLaunch() {
        var change = apply(Status.DEPLOYING, operation(Kind.CREATE), report(ReportType.RUNNING, GENERATION));

        assertThat(events(change)).containsExactly("Running", "create succeeded");
    }

    @Test
    void failed_deletesTheInstance_whenTheManifestSaysSo() {
        var loaded = loaded(instance(Status.DEPLOYING, true), operation(Kind.CREATE));

        var change = accepted(InstanceReports.apply(loaded, report(ReportType.FAILED, GENERATION), context()));

        assertThat(events(change)).containsExactly("Failed", "create failed", "Deleting", "delete accepted");
        assertThat(change.openedOperation().requestedByPrincipalId()).isEqualTo(ACCOUNT);
    }

    @Test
    void report_changesOnlyTheOperation_whenTheGenerationIsOlder() {
        var change = apply(Status.DEPLOYING, operation(Kind.CREATE), report(ReportType.FAILED, GENERATION - 1));

        assertThat(events(change)).containsExactly("create failed");
        assertThat(change.next().status()).isEqualTo(Status.DEPLOYING);
    }

    @Test
    void operation_setsTheVersion_whenAnUpgradeSucceeds() {
        var change = apply(Status.RUNNING, operation(Kind.UPGRADE), result(Operation.Status.SUCCEEDED, TARGET, null));

        assertThat(events(change)).containsExactly("Upgraded", "upgrade succeeded");
        assertThat(change.changesVersion()).isTrue();
    }

    @Test
    void operation_keepsTheVersion_whenAnUpgradeFails() {
        var change = apply(Status.RUNNING, operation(Kind.UPGRADE), result(Operation.Status.FAILED, null, null));

        assertThat(events(change)).containsExactly("upgrade failed");
        assertThat(change.changesVersion()).isFalse();
    }

    @Test
    void operation_fails_whenItsOutputIsInvalid() {
        var change = apply(
                Status.RUNNING,
                operation(Kind.DECLARED, "ping", null),
                result(Operation.Status.SUCCEEDED, null, "the output is invalid"));

        assertThat(events(change)).containsExactly("ping failed");
        assertThat(change.operationUpdates().get(0).next().reason()).isEqualTo("the output is invalid");
    }

    @Test
    void operation_isRefused_whenItIsALaunch() {
        var decision = InstanceReports.apply(
                loaded(instance(Status.DEPLOYING), operation(Kind.CREATE)),
                result(Operation.Status.SUCCEEDED, null, null),
                context());

        assertThat(refused(decision)).isEqualTo("validation_error");
    }

    @Test
    void operation_settlesTheMember() {
        var member = member(1).withDesired(Member.DesiredState.DRAINED, 2, NOW);

        var change = accepted(InstanceReports.apply(
                loaded(instance(Status.RUNNING), operation(Kind.MEMBER, "drain", member.id()), member),
                result(Operation.Status.SUCCEEDED, null, null),
                context()));

        assertThat(events(change)).containsExactly("drain succeeded", "member draining");
    }

    @Test
    void members_isRefusedAsAWhole_whenOneMemberIsUnknown() {
        var known = new MemberReport(member(1).id(), 1, ObservedState.FAILED, null, null, "lost");
        var unknown = new MemberReport(new UUID(9, 9), 1, ObservedState.READY, null, null, null);

        assertThat(refused(InstanceReports.apply(
                        loaded(instance(Status.RUNNING), null, member(1)), members(known, unknown), context())))
                .isEqualTo("member_not_found");
        assertThat(events(accepted(InstanceReports.apply(
                        loaded(instance(Status.RUNNING), null, member(1)), members(known), context()))))
                .containsExactly("member failed");
    }

    @Test
    void expire_failsALaunchAndDeletesIt_whenTheManifestSaysSo() {
        var change = InstanceReports.expire(
                loaded(instance(Status.DEPLOYING, true), operation(Kind.CREATE)), BLOCKER, context());

        assertThat(events(change)).containsExactly("Failed", "create failed", "Deleting", "delete accepted");
    }

    @Test
    void expire_resendsTheCommand_whenADeletionIsLate() {
        var change =
                InstanceReports.expire(loaded(instance(Status.DELETING), operation(Kind.DELETE)), BLOCKER, context());

        assertThat(change.resendCommandId()).isEqualTo(COMMAND);
        assertThat(events(change)).containsExactly("delete progressed");
    }

    @Test
    void expire_settlesTheMember() {
        var member = member(1).withDesired(Member.DesiredState.DRAINED, 2, NOW);

        var change = InstanceReports.expire(
                loaded(instance(Status.RUNNING), operation(Kind.MEMBER, "drain", member.id()), member),
                BLOCKER,
                context());

        assertThat(events(change)).containsExactly("drain failed", "member ready");
        assertThat(change.updatedMembers().get(0).desired()).isEqualTo(Member.DesiredState.READY);
    }

    private static InstanceChange apply(Status status, Operation operation, AdapterReport report) {
        return accepted(InstanceReports.apply(loaded(instance(status), operation), report, context()));
    }

    private static AdapterReport report(ReportType type, int generation) {
        return new AdapterReport(type, generation, "{}", "broke", null, null, null, null, null, null, List.of(), null);
    }

    private static AdapterReport result(
            Operation.Status status, @Nullable VersionChange target, @Nullable String invalidOutput) {
        return new AdapterReport(
                ReportType.OPERATION,
                GENERATION,
                "{}",
                "broke",
                null,
                null,
                null,
                status,
                null,
                invalidOutput,
                List.of(),
                target);
    }

    private static AdapterReport members(MemberReport... reports) {
        return new AdapterReport(
                ReportType.MEMBERS, GENERATION, "{}", null, null, null, null, null, null, null, List.of(reports), null);
    }
}
