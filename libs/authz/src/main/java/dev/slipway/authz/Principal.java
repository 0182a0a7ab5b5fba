package dev.slipway.authz;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/**
 * The authenticated caller.
 *
 * @param responsibleUserId the user, or the user who created the machine principal; an adapter of the seed is responsible for itself
 * @param projectId the project of a service account
 * @param sharedRuntimeId the shared runtime of a shared-runtime operator
 * @param allowedActions the only actions that a machine principal can be allowed
 * @param tokenActions the only actions that the token allows; null if it is not limited
 * @param task the task of an adapter that the token is bound to, if any
 */
public record Principal(
        UUID id,
        ActorType type,
        String displayName,
        UUID responsibleUserId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        @Nullable UUID sharedRuntimeId,
        Set<String> allowedActions,
        @Nullable Set<String> tokenActions,
        @Nullable Task task) {

    /** The types of principal. */
    public enum ActorType implements TextEnum {
        USER,
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR,
        ADAPTER;

        private final String text = TextEnum.super.text();

        @Override
        public String text() {
            return text;
        }
    }

    /**
     * One command of an adapter on one resource.
     *
     * @param resourceType {@code app_instance} or {@code shared_runtime}
     */
    public record Task(UUID adapterId, String resourceType, UUID resourceId, UUID commandId, Set<String> actions) {
        public static final String APP_INSTANCE = "app_instance";
        public static final String SHARED_RUNTIME = "shared_runtime";

        public boolean isFor(String type, UUID id, UUID command) {
            return resourceType.equals(type) && resourceId.equals(id) && commandId.equals(command);
        }
    }

    public static Principal user(UUID id, String displayName) {
        return new Principal(id, ActorType.USER, displayName, id, null, null, null, Set.of(), null, null);
    }

    /** Returns the principal limited to these actions; null sets no limit. */
    public Principal withTokenActions(@Nullable Set<String> to) {
        return to == null ? this : copyWith(to, task);
    }

    /** Returns whether the token includes the action. It does not say whether the principal is allowed it. */
    public boolean tokenAllows(String action) {
        return tokenActions == null || tokenActions.contains(action);
    }

    /** Returns the only scope of a machine principal, such as {@code project:ID}. */
    String ownScopePath() {
        if (sharedRuntimeId != null) {
            return "shared_runtime:" + sharedRuntimeId;
        }
        return projectId == null ? "platform" : "project:" + projectId;
    }

    Principal withTask(@Nullable Task to) {
        return to == null ? this : copyWith(tokenActions, to);
    }

    private Principal copyWith(@Nullable Set<String> actions, @Nullable Task of) {
        return new Principal(
                id,
                type,
                displayName,
                responsibleUserId,
                orgId,
                projectId,
                sharedRuntimeId,
                allowedActions,
                actions,
                of);
    }
}
