package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.AttributionContext.Attachment;
import dev.slipway.metering.usage.domain.AttributionContext.InstanceEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeProject;
import dev.slipway.metering.usage.domain.FactDecision.Rejected;
import dev.slipway.metering.usage.domain.FactDecision.Valid;
import dev.slipway.metering.usage.domain.ReporterScope.PlatformReporter;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ReporterScope.RuntimeReporter;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Decides whether a reported fact can be counted, and completes its attribution. */
public final class FactRules {
    /** Tolerated difference between the clocks of a source and of the platform. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final Duration MAX_WINDOW = Duration.ofDays(31);
    /** Usage that is older is not accepted: it limits the number of months that can get new facts. */
    private static final Duration MAX_AGE = Duration.ofDays(3 * 365);

    private FactRules() {}

    /** Returns the age up to which usage is accepted. */
    public static Duration maxAge() {
        return MAX_AGE;
    }

    /** Returns how far in the future a window may end. */
    public static Duration clockSkew() {
        return CLOCK_SKEW;
    }

    /** Rejects a fact, naming the first field that is missing or wrong. */
    private static final class RejectionException extends RuntimeException {
        private final Rejected decision;

        RejectionException(String field, String problem) {
            this(new Rejected(field, problem));
        }

        private RejectionException(Rejected decision) {
            super(decision.field() + " " + decision.problem(), null, false, false);
            this.decision = decision;
        }

        /** Names a resource or unit that may not be replicated yet. */
        static RejectionException unknown(String field, String problem) {
            return new RejectionException(new Rejected(field, problem, true));
        }
    }

    /** Validates a fact that is not a correction. */
    public static FactDecision validate(
            ReportedFact fact, ReporterScope scope, AttributionContext context, Instant now) {
        try {
            return new Valid(attribute(fact, scope, context, now));
        } catch (RejectionException rejected) {
            return rejected.decision;
        }
    }

    private static AttributedFact attribute(
            ReportedFact fact, ReporterScope scope, AttributionContext context, Instant now) {
        if (fact.adjustment() != null) {
            throw new RejectionException("adjustment", "is only possible in a correction");
        }
        var unit = requireUnit(fact, context);
        var quantity = require("quantity", fact.quantity());
        if (quantity.signum() < 0) {
            throw new RejectionException("quantity", "is negative; send a correction instead");
        }
        requireAmount("quantity", quantity, unit);
        var start = require("window_start", fact.windowStart());
        var end = require("window_end", fact.windowEnd());
        requireWindow(start, end, now);
        var reported = fact.attribution();
        var instance = findInstance(fact, context);
        var runtimeId = reported.sharedRuntimeId() == null ? scope.defaultRuntime() : reported.sharedRuntimeId();
        var runtime = findRuntime(runtimeId, context);
        var usedRuntimeId = requireRuntimeOf(instance, runtimeId);
        var projectId = projectOf(fact, scope, instance);
        var orgId = orgOf(fact, scope, context, instance, runtime, projectId);
        requireScope(scope, orgId, projectId, runtimeId);
        var attachmentId = scope instanceof PlatformReporter
                ? reported.attachmentId() // another service has checked it
                : requireAttachment(fact, scope, context, runtimeId, projectId);
        var named = instance != null || runtime != null;
        var attribution = new FactAttribution(
                projectId,
                reported.appInstanceId(),
                usedRuntimeId,
                attachmentId == null && instance != null ? attachmentOf(instance, context, start, end) : attachmentId,
                reported.sourceProjectId(),
                complete(
                        "app_slug",
                        reported.appSlug(),
                        of(instance, InstanceEntry::appSlug),
                        of(runtime, RuntimeEntry::appSlug)),
                complete(
                        "operating_mode",
                        reported.operatingMode(),
                        of(instance, InstanceEntry::operatingMode),
                        of(runtime, RuntimeEntry::operatingMode)),
                complete(
                        "control_plane_scope",
                        reported.controlPlaneScope(),
                        of(instance, InstanceEntry::controlPlaneScope),
                        of(runtime, RuntimeEntry::controlPlaneScope)),
                complete(
                        "runtime_backend",
                        reported.runtimeBackend(),
                        of(instance, InstanceEntry::runtimeBackend),
                        of(runtime, RuntimeEntry::runtimeBackend)),
                named ? reported.resourceType() : require("resource_type", reported.resourceType()),
                named ? reported.resourceId() : require("resource_id", reported.resourceId()),
                reported.actor());
        return new AttributedFact(
                fact.key(),
                unit.id(),
                fact.unitVersion() == null ? unit.version() : fact.unitVersion(),
                quantity,
                start,
                end,
                orgId,
                attribution,
                correlationOf(fact, instance, runtime),
                null,
                context.periods().bookingMonth(end),
                fact.bodyHash());
    }

    /** Usage that nobody requested belongs to the request that launched the resource. */
    private static @Nullable String correlationOf(
            ReportedFact fact, @Nullable InstanceEntry instance, @Nullable RuntimeEntry runtime) {
        if (fact.correlationId() != null) {
            return fact.correlationId();
        }
        return instance != null ? instance.correlationId() : runtime == null ? null : runtime.correlationId();
    }

    private static UsageUnit requireUnit(ReportedFact fact, AttributionContext context) {
        var unit = context.units().get(require("unit", fact.unit()));
        if (unit == null) {
            throw RejectionException.unknown("unit", "is not a registered usage unit");
        }
        if (!unit.isUsable()) {
            throw new RejectionException("unit", "is not active");
        }
        if (fact.unitVersion() != null && (fact.unitVersion() < 1 || fact.unitVersion() > unit.version())) {
            throw new RejectionException("unit_version", "is not a version up to the current one, " + unit.version());
        }
        return unit;
    }

    private static void requireAmount(String field, BigDecimal quantity, UsageUnit unit) {
        var problem = unit.checkAmount(quantity);
        if (problem != null) {
            throw new RejectionException(field, problem);
        }
    }

    private static void requireWindow(Instant start, Instant end, Instant now) {
        if (!start.isBefore(end) || Duration.between(start, end).compareTo(MAX_WINDOW) > 0) {
            throw new RejectionException("window_end", "is not after window_start, or more than 31 days after it");
        }
        if (end.isAfter(now.plus(CLOCK_SKEW))) {
            throw new RejectionException("window_end", "is in the future");
        }
        if (start.isBefore(now.minus(MAX_AGE))) {
            throw new RejectionException("window_start", "is more than 3 years ago");
        }
    }

    private static @Nullable InstanceEntry findInstance(ReportedFact fact, AttributionContext context) {
        var id = fact.attribution().appInstanceId();
        if (id == null) {
            return null;
        }
        var instance = context.instances().get(id);
        if (instance == null) {
            throw RejectionException.unknown("app_instance_id", "is not an app instance of the project");
        }
        return instance;
    }

    private static @Nullable RuntimeEntry findRuntime(@Nullable UUID id, AttributionContext context) {
        if (id == null) {
            return null;
        }
        var runtime = context.runtimes().get(id);
        if (runtime == null) {
            throw RejectionException.unknown("shared_runtime_id", "is not a shared runtime of the organization");
        }
        return runtime;
    }

    /** Returns the shared runtime that the instance uses or, without one, the named runtime. A named runtime must not differ. */
    private static @Nullable UUID requireRuntimeOf(@Nullable InstanceEntry instance, @Nullable UUID named) {
        var used = instance == null ? null : instance.sharedRuntimeId();
        if (used != null && named != null && !named.equals(used)) {
            throw new RejectionException("shared_runtime_id", "is not the shared runtime of the app instance");
        }
        return used == null ? named : used;
    }

    private static @Nullable UUID projectOf(ReportedFact fact, ReporterScope scope, @Nullable InstanceEntry instance) {
        var named = fact.attribution().projectId() == null
                ? scope.defaultProject()
                : fact.attribution().projectId();
        if (instance == null) {
            return named;
        }
        if (named != null && !named.equals(instance.projectId())) {
            throw new RejectionException("app_instance_id", "is not an app instance of the project");
        }
        return instance.projectId();
    }

    private static UUID orgOf(
            ReportedFact fact,
            ReporterScope scope,
            AttributionContext context,
            @Nullable InstanceEntry instance,
            @Nullable RuntimeEntry runtime,
            @Nullable UUID projectId) {
        var orgOfProject = projectId == null ? null : context.orgOfProject().get(projectId);
        if (projectId != null && orgOfProject == null && instance == null && runtime == null) {
            throw new RejectionException("project_id", "is not a project that you may report for");
        }
        if (projectId == null && runtime == null) {
            if (scope instanceof PlatformReporter && fact.orgId() != null) {
                return fact.orgId(); // another service owns the resource and knows its organization
            }
            throw new RejectionException("project_id", "is required");
        }
        // A shared runtime belongs to its owner, whichever project used it.
        var orgId = runtime != null ? runtime.orgId() : instance != null ? instance.orgId() : orgOfProject;
        if (fact.orgId() != null && !fact.orgId().equals(orgId)) {
            throw new RejectionException("org_id", "is not the organization of the resource");
        }
        return Objects.requireNonNull(orgId);
    }

    /** Resources of others are not distinguished from unknown ones. */
    private static void requireScope(
            ReporterScope scope, UUID orgId, @Nullable UUID projectId, @Nullable UUID runtimeId) {
        if (scope instanceof ProjectReporter project && !project.projectId().equals(projectId)) {
            throw new RejectionException("project_id", "is not a project that you may report for");
        }
        if (scope instanceof ProjectReporter project && !project.orgId().equals(orgId)) {
            throw new RejectionException("shared_runtime_id", "is not a shared runtime of the organization");
        }
        if (scope instanceof RuntimeReporter runtime
                && !runtime.sharedRuntimeId().equals(runtimeId)) {
            throw new RejectionException("shared_runtime_id", "is not a shared runtime of the organization");
        }
    }

    /** Returns the attachment of the project of the instance to its shared runtime in a window; null if it is not replicated yet. */
    private static @Nullable UUID attachmentOf(
            InstanceEntry instance, AttributionContext context, Instant start, Instant end) {
        if (instance.sharedRuntimeId() == null) {
            return null;
        }
        var attached = new RuntimeProject(instance.sharedRuntimeId(), instance.projectId());
        return context.attachmentsIn(attached, start, end).stream()
                .findFirst()
                .map(Attachment::id)
                .orElse(null);
    }

    private static @Nullable UUID requireAttachment(
            ReportedFact fact,
            ReporterScope scope,
            AttributionContext context,
            @Nullable UUID runtimeId,
            @Nullable UUID projectId) {
        if (runtimeId == null) {
            if (fact.attribution().attachmentId() != null || fact.attribution().sourceProjectId() != null) {
                throw new RejectionException("shared_runtime_id", "is required with an attachment or a source project");
            }
            return null;
        }
        var sourceProjectId = fact.attribution().sourceProjectId();
        // A cost split may charge the source. Whether another project is attached is not told.
        if (scope instanceof ProjectReporter project
                && sourceProjectId != null
                && !sourceProjectId.equals(project.projectId())) {
            throw new RejectionException("source_project_id", "is not a project that you may report for");
        }
        var ofSource = findAttachments("source_project_id", fact, context, runtimeId, sourceProjectId);
        var ofProject = findAttachments("project_id", fact, context, runtimeId, projectId);
        var attachments = projectId == null ? ofSource : ofProject;
        var named = fact.attribution().attachmentId();
        if (named != null
                && attachments.stream().noneMatch(attachment -> attachment.id().equals(named))) {
            throw new RejectionException("attachment_id", "is not the attachment of this project in this window");
        }
        return named != null || attachments.isEmpty()
                ? named
                : attachments.get(0).id();
    }

    /** Returns the attachments of a project that existed in the window of the fact; none without a project. */
    private static List<Attachment> findAttachments(
            String field, ReportedFact fact, AttributionContext context, UUID runtimeId, @Nullable UUID projectId) {
        if (projectId == null) {
            return List.of();
        }
        var found = context.attachmentsIn(
                new RuntimeProject(runtimeId, projectId),
                Objects.requireNonNull(fact.windowStart()),
                Objects.requireNonNull(fact.windowEnd()));
        if (found.isEmpty()) {
            throw new RejectionException(
                    field, "is not a project that was attached to this shared runtime in this window");
        }
        return found;
    }

    /** Returns the value of the read model; a reported value must not differ from it. Fails if the resource needs one and neither has it. */
    private static @Nullable String complete(
            String field,
            @Nullable String reported,
            @Nullable ProjectedValue ofInstance,
            @Nullable ProjectedValue ofRuntime) {
        var projected = ofInstance == null ? ofRuntime : ofInstance;
        if (projected == null) {
            return reported;
        }
        if (projected.value == null) {
            return require(field, reported);
        }
        if (reported != null && !reported.equals(projected.value)) {
            throw new RejectionException(field, "is not that of the resource");
        }
        return projected.value;
    }

    /** The value of an attribution field in a read model; null if it was not recorded. */
    private record ProjectedValue(@Nullable String value) {}

    private static <T> @Nullable ProjectedValue of(@Nullable T entry, Function<T, @Nullable String> value) {
        return entry == null ? null : new ProjectedValue(value.apply(entry));
    }

    private static <T> T require(String field, @Nullable T value) {
        if (value == null) {
            throw new RejectionException(field, "is required");
        }
        return value;
    }
}
