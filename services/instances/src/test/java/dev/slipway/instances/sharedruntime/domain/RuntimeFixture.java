package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ManifestSpec.SharedRuntimeSupport;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.UpgradeRule;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberDecision;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.instances.member.domain.MemberReport;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Shared runtimes in every state, with attachments, workers and operations. */
final class RuntimeFixture {
    static final Instant NOW = Instant.parse("2026-05-01T10:00:00Z");
    static final Instant LATER = NOW.plusSeconds(3_600);
    static final UUID ORG = new UUID(0, 1);
    static final UUID RUNTIME = new UUID(0, 2);
    static final UUID PERSON = new UUID(0, 3);
    static final UUID PROJECT = new UUID(0, 4);
    static final UUID OTHER_PROJECT = new UUID(0, 5);
    static final Caller CALLER = new Caller(new Requester(PERSON, PERSON), "user");
    static final AppVersionRef VERSION = new AppVersionRef(ORG, new UUID(0, 6), "grid", "1.0.0", "bare_metal");
    static final AppVersionRef NEXT_VERSION = new AppVersionRef(ORG, new UUID(0, 7), "grid", "2.0.0", "bare_metal");
    static final ContributionPolicy TWO_WORKERS = new ContributionPolicy(true, 2, null, null);
    static final SubmissionPolicy TWO_JOBS = new SubmissionPolicy(true, null, 2);
    static final ManifestSpec MANIFEST = manifest(new SharedRuntimeSupport(true, Set.of("worker"), Set.of("submit")));

    private RuntimeFixture() {}

    static ManifestSpec manifest(SharedRuntimeSupport support) {
        return new ManifestSpec(
                "{}",
                LifecycleSettings.DEFAULT,
                new ManifestSpec.Deadlines(
                        Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(3), Duration.ofMinutes(4)),
                new UpgradeRule("in_place", List.of()),
                new UpgradeRule("in_place", List.of()),
                List.of(new Component("head", 1, 1, 1, Set.of()), new Component("worker", 0, 3, 1, Set.of())),
                Set.of("job"),
                support);
    }

    static DecisionContext context() {
        var next = new AtomicLong(1_000);
        return new DecisionContext(NOW, "c-1", () -> new UUID(1, next.getAndIncrement()));
    }

    static SharedRuntime runtime(Status status) {
        return new SharedRuntime(
                RUNTIME,
                "slipway:name",
                ORG,
                "default",
                VERSION,
                "Grid",
                PERSON,
                PERSON,
                new UUID(0, 8),
                Placement.UNSPECIFIED,
                "{}",
                TWO_WORKERS,
                TWO_JOBS,
                "p1",
                LifecycleSettings.DEFAULT,
                null,
                NOW.minusSeconds(60),
                new SubjectState(status, "{}", null, 3, 7, NOW.minusSeconds(30), null));
    }

    static Attachment attachment(UUID projectId, Attachment.Status status) {
        return new Attachment(
                new UUID(2, projectId.getLeastSignificantBits()),
                RUNTIME,
                ORG,
                projectId,
                status,
                null,
                null,
                "{}",
                null,
                null,
                1,
                NOW,
                NOW,
                null);
    }

    static Worker worker(long number, @Nullable Attachment attachment) {
        var member = MemberStates.ready(
                Member.create(new UUID(3, number), runtime(Status.RUNNING).ref(), "worker", Map.of(), NOW));
        return attachment == null
                ? Worker.ofTenant(member, Worker.Capacity.UNSPECIFIED)
                : Worker.ofProject(member, attachment, Worker.Capacity.UNSPECIFIED);
    }

    static Operation operation(long number, Kind kind, String name, @Nullable Attachment attachment) {
        return operation(number, kind, name, attachment, null);
    }

    static Operation operation(
            long number, Kind kind, String name, @Nullable Attachment attachment, @Nullable UUID workerId) {
        var attribution = attachment == null
                ? new Attribution(null, null, "user")
                : new Attribution(attachment.projectId(), attachment.id(), "user");
        var requested = new NewOperation(
                new UUID(4, number),
                kind,
                name,
                "apps.shared_runtime.update",
                CALLER.requester(),
                LATER,
                new UUID(5, number),
                null,
                workerId,
                null,
                null,
                attribution);
        return OperationLifecycle.accept(requested, runtime(Status.RUNNING).ref(), "c-0", NOW);
    }

    static LoadedSharedRuntime loaded(Status status, Object... parts) {
        var open = new ArrayList<Operation>();
        var workers = new ArrayList<Worker>();
        var attachments = new ArrayList<Attachment>();
        for (var part : parts) {
            if (part instanceof Operation operation) {
                open.add(operation);
            } else if (part instanceof Worker worker) {
                workers.add(worker);
            } else if (part instanceof Attachment attachment) {
                attachments.add(attachment);
            }
        }
        return new LoadedSharedRuntime(runtime(status), null, MemberOperationInput.NONE, open, workers, attachments);
    }

    /** Returns the same with the operation that a report or a deadline is about. */
    static LoadedSharedRuntime about(LoadedSharedRuntime loaded, Operation operation) {
        return new LoadedSharedRuntime(
                loaded.runtime(),
                operation,
                new MemberOperationInput(operation.memberId(), "worker", null, Map.of()),
                loaded.open(),
                loaded.workers(),
                loaded.attachments());
    }

    static String refusal(RuntimeDecision decision) {
        return decision instanceof RuntimeDecision.Refused refused
                ? refused.refusal().code()
                : "accepted";
    }

    static SharedRuntimeChange accepted(RuntimeDecision decision) {
        return ((RuntimeDecision.Accepted) decision).change();
    }

    static List<String> names(SharedRuntimeChange change) {
        return change.events().stream().map(RuntimeFixture::name).toList();
    }

    private static String name(SharedRuntimeChange.Event event) {
        if (event instanceof SharedRuntimeChange.OfRuntime of) {
            return of.event().getClass().getSimpleName();
        }
        if (event instanceof SharedRuntimeChange.OfOperation of) {
            return of.operation().name() + " " + of.event().text();
        }
        if (event instanceof SharedRuntimeChange.OfAttachment of) {
            return "attachment " + of.event().text();
        }
        return "worker "
                + ((SharedRuntimeChange.OfWorker) event)
                        .worker()
                        .member()
                        .desired()
                        .text();
    }

    /** Brings members into a state by the reports of an adapter. */
    private static final class MemberStates {
        static Member ready(Member member) {
            var report =
                    new MemberReport(member.id(), member.generation(), Member.ObservedState.READY, null, null, null);
            return ((MemberDecision.Accepted) MemberLifecycle.report(member, report, NOW)).next();
        }
    }
}
