package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Who is acting.
 *
 * @param responsibleUserId a person: the user, or the one who created the machine; an adapter that came with the platform is its own
 * @param projectId of a service account: the one project it belongs to
 * @param sharedRuntimeId of a shared-runtime operator: the one runtime, of its organization, that it acts for
 * @param allowedActions of a machine: the only actions it may ever take
 * @param tokenActions the only actions that this token is good for; null when it is good for all that the principal may
 * @param task set when the token is bound to one instance and one command of an adapter
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

    /** The kinds of principal that may hold a token. */
    public enum ActorType {
        USER,
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR,
        ADAPTER;

        private final String text = name().toLowerCase(Locale.ROOT);

        public static ActorType of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return text;
        }
    }

    /** What an adapter's token is bound to. */
    public record Task(UUID adapterId, UUID appInstanceId, UUID commandId, Set<String> actions) {}

    public static Principal user(UUID id, String displayName) {
        return new Principal(id, ActorType.USER, displayName, id, null, null, null, Set.of(), null, null);
    }

    /** The same principal, by a token that is good for these actions alone, if it names any. */
    public Principal narrowed(@Nullable Set<String> to) {
        return to == null ? this : by(to, task);
    }

    /** Whether the token lets the action through; whether its subject may do it is another question. */
    public boolean tokenAllows(String action) {
        return tokenActions == null || tokenActions.contains(action);
    }

    Principal bound(@Nullable Task to) {
        return to == null ? this : by(tokenActions, to);
    }

    private Principal by(@Nullable Set<String> actions, @Nullable Task of) {
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
