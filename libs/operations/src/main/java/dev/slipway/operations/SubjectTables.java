package dev.slipway.operations;

import dev.slipway.operations.domain.SubjectKind;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tables of one kind of subject, and of its operations, commands and events. Each kind has its own, with a foreign key to the subject and the
 * same columns, so that the statements differ in names only.
 */
final class SubjectTables {
    private final SubjectKind kind;
    private final Map<String, String> statements = new ConcurrentHashMap<>();

    SubjectTables(SubjectKind kind) {
        this.kind = kind;
    }

    SubjectKind kind() {
        return kind;
    }

    /** Returns whether operations say which project they belong to; those on a subject of a project belong to that project. */
    boolean hasAttribution() {
        return switch (kind) {
            case APP_INSTANCE -> false;
            case SHARED_RUNTIME -> true;
        };
    }

    /** Returns a statement with the names of this kind in place of <code>{operations}</code>, <code>{id}</code> and so on. */
    String sql(String template) {
        return statements.computeIfAbsent(template, text -> switch (kind) {
            case APP_INSTANCE ->
                fill(
                        text,
                        "app_instances",
                        "app_instance_operations",
                        "runtime_commands",
                        "instance_events",
                        "project_id");
            case SHARED_RUNTIME ->
                fill(
                        text,
                        "shared_runtimes",
                        "shared_runtime_operations",
                        "shared_runtime_commands",
                        "shared_runtime_events",
                        "org_id");
        });
    }

    /** {@code owner} is the column that every statement is scoped by. */
    private String fill(
            String template, String subjects, String operations, String commands, String events, String owner) {
        return template.replace("{subjects}", subjects)
                .replace("{operations}", operations)
                .replace("{commands}", commands)
                .replace("{events}", events)
                .replace("{id}", kind.idField())
                .replace("{owner}", owner)
                .replace("{attribution}", hasAttribution() ? ", attachment_id, principal_type" : "")
                .replace("{values}", hasAttribution() ? ", $19, $20" : "");
    }
}
