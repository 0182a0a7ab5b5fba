package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Keeps from IAM's snapshots what policy levels apply to whom. A snapshot older than what is kept changes nothing. */
public final class PlaceStore {
    private static final String ORGANIZATION = """
            INSERT INTO organizations (id, plan, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET plan = $2, revision = $3 WHERE organizations.revision < $3
            """;
    private static final String DEPARTMENT = """
            INSERT INTO departments (id, org_id, revision) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;
    private static final String PROJECT = """
            INSERT INTO projects (id, org_id, department_id, revision) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET department_id = $3, revision = $4 WHERE projects.revision < $4
            """;

    public void keep(UnitOfWork unit, Envelope event) {
        var payload = event.payload();
        var revision = payload.path("revision").longValue();
        switch (event.eventType()) {
            case "iam.organization.snapshot" ->
                unit.write(
                        ORGANIZATION,
                        Tuple.of(id(payload, "org_id"), payload.path("plan").asText(""), revision));
            case "iam.department.snapshot" ->
                unit.write(DEPARTMENT, Tuple.of(id(payload, "department_id"), id(payload, "org_id"), revision));
            case "iam.project.snapshot" ->
                unit.write(
                        PROJECT,
                        Tuple.of(
                                id(payload, "project_id"),
                                id(payload, "org_id"),
                                id(payload, "department_id"),
                                revision));
            default -> {
                // People and their groups: no policy is about them.
            }
        }
    }

    private static @Nullable UUID id(JsonNode payload, String field) {
        var text = payload.path(field).textValue();
        return text == null ? null : UUID.fromString(text);
    }
}
