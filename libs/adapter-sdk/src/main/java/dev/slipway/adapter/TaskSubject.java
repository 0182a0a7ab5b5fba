package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.UUID;

/** The subject of a command: an app instance of a project, or a shared runtime of an organization. Both are handled alike. */
public record TaskSubject(Kind kind, UUID id) {
    /** The kinds of subjects. */
    public enum Kind {
        APP_INSTANCE("app_instance_id"),
        SHARED_RUNTIME("shared_runtime_id");

        private final String field;

        Kind(String field) {
            this.field = field;
        }

        /** Returns the name of the id in messages. */
        String field() {
            return field;
        }
    }

    /** Throws {@link IllegalArgumentException} if the payload names no subject. */
    static TaskSubject parse(JsonNode payload) {
        for (var kind : Kind.values()) {
            if (payload.path(kind.field).isTextual()) {
                return new TaskSubject(
                        kind, UUID.fromString(payload.path(kind.field).textValue()));
            }
        }
        throw new IllegalArgumentException("app_instance_id is missing");
    }
}
