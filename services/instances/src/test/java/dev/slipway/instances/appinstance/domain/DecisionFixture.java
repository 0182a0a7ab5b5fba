package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.UpgradeRule;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Instances, operations and members for tests of decisions. */
final class DecisionFixture {
    static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant NOW = CREATED.plusSeconds(60);
    static final UUID ID = new UUID(0, 1);
    static final UUID COMMAND = new UUID(0, 2);
    static final UUID PERSON = new UUID(0, 3);
    static final UUID ACCOUNT = new UUID(0, 4);
    static final Requester REQUESTER = new Requester(PERSON, ACCOUNT);
    static final AppVersionRef VERSION = new AppVersionRef(ID, new UUID(0, 5), "echo", "1.0.0", "bare_metal");
    static final AppVersionRef NEXT_VERSION = new AppVersionRef(ID, new UUID(0, 6), "echo", "2.0.0", "bare_metal");
    static final Component WORKER = new Component("worker", 1, 3, 1, Set.of(MemberOperation.LABEL));
    static final ManifestSpec MANIFEST = new ManifestSpec(
            "{}",
            LifecycleSettings.DEFAULT,
            new ManifestSpec.Deadlines(
                    Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(3), Duration.ofMinutes(4)),
            new UpgradeRule("in_place", List.of()),
            new UpgradeRule("in_place", List.of()),
            List.of(WORKER),
            Set.of("job"),
            ManifestSpec.SharedRuntimeSupport.NONE);

    private DecisionFixture() {}

    static DecisionContext context() {
        var next = new AtomicLong(100);
        return new DecisionContext(NOW, "c-1", () -> new UUID(1, next.getAndIncrement()));
    }

    static AppInstance instance(Status status, boolean reap) {
        return new AppInstance(
                ID,
                "slipway:name",
                ID,
                ID,
                VERSION,
                "Mine",
                "tenant_dedicated",
                "project",
                PERSON,
                ACCOUNT,
                ACCOUNT,
                "{}",
                CREATED,
                Placement.UNSPECIFIED,
                "p1",
                new LifecycleSettings(1_800, reap, null),
                null,
                null,
                new SubjectState(status, "{}", null, 3, 9, CREATED, null));
    }

    static AppInstance instance(Status status) {
        return instance(status, false);
    }

    /** An operation that its adapter has accepted. */
    static Operation operation(Kind kind, String name, @Nullable UUID memberId) {
        var requested = new NewOperation(
                new UUID(2, kind.name().hashCode()),
                kind,
                name,
                "apps.instance.update",
                REQUESTER,
                CREATED.plusSeconds(30),
                COMMAND,
                null,
                memberId,
                kind == Kind.UPGRADE ? "1.0.0" : null,
                kind == Kind.UPGRADE ? "2.0.0" : null);
        var accepted =
                OperationLifecycle.accept(requested, instance(Status.RUNNING).ref(), "c-0", CREATED);
        return OperationLifecycle.reportAccepted(accepted, CREATED).next();
    }

    static Operation operation(Kind kind) {
        return operation(kind, kind.text(), null);
    }

    static LoadedInstance loaded(AppInstance instance, @Nullable Operation operation, Member... members) {
        var open = operation == null || operation.status().isEnded() ? List.<Operation>of() : List.of(operation);
        return new LoadedInstance(instance, operation, MemberOperationInput.NONE, open, List.of(members));
    }

    static Member member(long number) {
        var subject = new SubjectRef(SubjectKind.APP_INSTANCE, ID, ID, ID);
        return MemberLifecycle.markJoined(
                Member.create(new UUID(3, number), subject, "worker", Map.of(), CREATED), CREATED);
    }

    /** The events of a change, in order, by their names. */
    static List<String> events(InstanceChange change) {
        return change.events().stream().map(DecisionFixture::name).toList();
    }

    private static String name(InstanceChange.Event event) {
        if (event instanceof InstanceChange.OfInstance of) {
            return of.event().getClass().getSimpleName();
        }
        if (event instanceof InstanceChange.OfOperation of) {
            return of.operation().name() + " " + of.event().text();
        }
        return "member " + ((InstanceChange.OfMember) event).member().observed().text();
    }

    static InstanceChange accepted(ChangeDecision decision) {
        return ((ChangeDecision.Accepted) decision).change();
    }

    static String refused(ChangeDecision decision) {
        return ((ChangeDecision.Refused) decision).refusal().code();
    }
}
