package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class EventSchemasTest {
    private static final EventSchemas SCHEMAS = EventSchemas.load();
    private static final String ID = "01900000-0000-7000-8000-000000000001";

    @Test
    void check_namesTheType_whenItHasNoSchema() {
        assertThat(SCHEMAS.check(record("apps.instance.exploded", 1, Json.object())))
                .containsExactly(new FieldProblem("event_type", "has no schema: apps.instance.exploded.v1"));
    }

    @Test
    void check_namesTheType_whenTheVersionHasNoSchema() {
        assertThat(SCHEMAS.check(record("state.heartbeat", 2, Json.object().put("revision", 1))))
                .extracting(FieldProblem::field)
                .containsExactly("event_type");
    }

    @Test
    void check_namesTheField_whenTheEnvelopeIsWrong() {
        var without = record("state.heartbeat", 1, Json.object().put("revision", 1));
        without.remove("correlation_id");
        var more =
                record("state.heartbeat", 1, Json.object().put("revision", 1)).put("token", "t");

        assertThat(SCHEMAS.check(without)).extracting(FieldProblem::field).containsExactly("/correlation_id");
        assertThat(SCHEMAS.check(more)).extracting(FieldProblem::field).containsExactly("/token");
    }

    @Test
    void check_namesTheField_whenThePayloadIsWrong() {
        var payload = Json.object().put("project_id", "mine").put("revision", 0).put("extra", true);

        assertThat(SCHEMAS.check(record("authz.project", 1, payload)))
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder("/org_id", "/project_id", "/revision", "/extra");
    }

    @Test
    void check_findsNothing_whenTheRecordIsAsTheContractSays() {
        var payload = Json.object().put("project_id", ID).put("org_id", ID).put("revision", 1);

        assertThat(SCHEMAS.check(record("authz.project", 1, payload))).isEmpty();
    }

    /** Every schema is closed and asks for something, so an object that has nothing of it cannot pass. */
    @Test
    void everySchema_compilesAndRefusesAStrangerObject() {
        assertThat(SCHEMAS.types()).hasSizeGreaterThan(20).allSatisfy(type -> {
            var name = type.substring(0, type.lastIndexOf(".v"));
            var version = Integer.parseInt(type.substring(type.lastIndexOf(".v") + 2));

            var problems = SCHEMAS.check(record(name, version, Json.object().put("stranger", 1)));

            assertThat(problems).extracting(FieldProblem::field).contains("/stranger");
            assertThat(problems).extracting(FieldProblem::problem).contains("is required");
        });
    }

    @Test
    void everySchema_isNamedAsItsTypeAndVersion() {
        Schemas.resource("events.json").properties().forEach(schema -> {
            var name = schema.getKey();
            assertThat(schema.getValue().path("$id").asText())
                    .isEqualTo("https://slipway.dev/schemas/events/" + name + ".json");
            if (!name.equals("envelope")) {
                assertThat(schema.getValue().path("title").asText() + ".v1").isEqualTo(name);
                assertThat(schema.getValue().path("x-slipway-topic").asText())
                        .as(name)
                        .isNotEmpty();
            }
        });
    }

    /** What an app's life leaves behind can be told apart by tenant, project, app and instance. */
    @Test
    void everyInstanceEvent_mustNameItsPlace() {
        var instanceEvents = SCHEMAS.types().stream()
                .filter(type -> type.matches("apps\\.instance\\.[a-z]+\\.v1"))
                .toList();

        assertThat(instanceEvents).hasSizeGreaterThanOrEqualTo(6).allSatisfy(type -> {
            JsonNode required = Schemas.resource("events.json").path(type).path("required");
            assertThat(required)
                    .extracting(JsonNode::asText)
                    .contains("org_id", "project_id", "app_slug", "app_instance_id", "sequence");
        });
    }

    private static ObjectNode record(String type, int version, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, Instant.EPOCH, version, "c-1", payload);
        try {
            return (ObjectNode) Json.parse(event.toBytes());
        } catch (IOException e) {
            throw new AssertionError(type, e);
        }
    }
}
