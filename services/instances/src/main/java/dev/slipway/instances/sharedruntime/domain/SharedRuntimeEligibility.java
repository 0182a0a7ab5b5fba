package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Decides whether a shared runtime can use an operator identity, and whether a project can be attached to it. */
public final class SharedRuntimeEligibility {
    private SharedRuntimeEligibility() {}

    /**
     * A requested operator identity.
     *
     * @param isSharedRuntimeOperator whether it is an active principal of that type
     * @param orgId null if it has no organization
     * @param isInUse whether its shared runtime exists already
     */
    public record OperatorIdentity(
            boolean isSharedRuntimeOperator, @Nullable UUID orgId, boolean isInUse) {}

    /**
     * A project that is to be attached.
     *
     * @param isInOrganization false if the organization of the runtime has no such project; then nothing else is known of it
     * @param launchRefusal why the project may not launch the version that the runtime runs; null if it may
     * @param spending the balance and the budget that limit what the project starts
     */
    public record AttachableProject(
            UUID projectId,
            boolean isInOrganization,
            boolean isSuspended,
            @Nullable Refusal launchRefusal,
            Spending spending) {
        public static AttachableProject ofOtherOrganization(UUID projectId) {
            return new AttachableProject(projectId, false, false, null, Spending.UNLIMITED);
        }
    }

    /** Returns why the operator identity cannot be used; null if it can, or none is requested. */
    public static @Nullable Refusal checkOperator(UUID orgId, @Nullable OperatorIdentity operator) {
        var isUsable = operator == null
                || (operator.isSharedRuntimeOperator && orgId.equals(operator.orgId) && !operator.isInUse);
        return isUsable
                ? null
                : Refusal.of(
                        "operator_identity_invalid",
                        "operator_identity_ref is not an active shared-runtime operator of this organization, or its runtime"
                                + " exists already. Leave it out to have an operator created.");
    }

    /** Returns why the project cannot be attached; null if it can. */
    public static @Nullable Refusal checkProject(AttachableProject project) {
        var projectId = project.projectId;
        if (!project.isInOrganization) {
            return Refusal.of("not_found", "This organization has no project " + projectId + ".");
        }
        if (project.isSuspended) {
            return Refusal.of(
                    "project_suspended", "Project " + projectId + " is suspended. Resume it before you attach it.");
        }
        var refusal = project.launchRefusal == null ? project.spending.check() : project.launchRefusal;
        return refusal == null
                ? null
                : new Refusal(
                        refusal.code(),
                        "Project " + projectId + ": " + refusal.message(),
                        Map.of("project_id", projectId.toString()),
                        List.of());
    }
}
