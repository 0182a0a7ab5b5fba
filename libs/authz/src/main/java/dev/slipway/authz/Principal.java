package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Who is acting.
 *
 * @param responsibleUserId always a person: the user, or the one who created the service account
 * @param projectId of a service account: the one project it belongs to
 * @param allowedActions of a service account: the only actions it may ever take
 * @param task set when the token is bound to one instance and one command of an adapter
 * @param tokenActions the only actions that the token is good for; null where the token does not narrow what its subject may do
 */
public record Principal(
        UUID id,
        ActorType type,
        String displayName,
        UUID responsibleUserId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        Set<String> allowedActions,
        @Nullable Task task,
        @Nullable Set<String> tokenActions) {

    /** The kinds of principal that may hold a token. */
    public enum ActorType {
        USER,
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR;

        public static ActorType of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What an adapter's token is bound to. */
    public record Task(UUID adapterId, UUID appInstanceId, UUID commandId, Set<String> actions) {}

    /** Whether the token lets the action through; whether its subject may do it is another question. */
    public boolean tokenAllows(String action) {
        return tokenActions == null || tokenActions.contains(action);
    }

    Principal bound(@Nullable Task to) {
        return to == null
                ? this
                : new Principal(
                        id, type, displayName, responsibleUserId, orgId, projectId, allowedActions, to, tokenActions);
    }

    Principal narrowed(@Nullable Set<String> to) {
        return to == null
                ? this
                : new Principal(id, type, displayName, responsibleUserId, orgId, projectId, allowedActions, task, to);
    }
}
