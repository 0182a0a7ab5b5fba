package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

class EventSchemasTest {
    private static final EventSchemas SCHEMAS = EventSchemas.load();
    private static final String ID = "01900000-0000-7000-8000-000000000001";

    @Test
    void validate_namesTheType_whenItHasNoSchema() {
        assertThat(SCHEMAS.validate(record("apps.instance.exploded", 1, Json.object())))
                .containsExactly(new FieldProblem("event_type", "has no schema: apps.instance.exploded.v1"));
    }

    @Test
    void validate_namesTheType_whenTheVersionHasNoSchema() {
        assertThat(SCHEMAS.validate(record("state.heartbeat", 2, Json.object().put("revision", 1))))
                .extracting(FieldProblem::field)
                .containsExactly("event_type");
    }

    @Test
    void validate_namesTheField_whenTheEnvelopeIsInvalid() {
        var without = record("state.heartbeat", 1, Json.object().put("revision", 1));
        without.remove("correlation_id");
        var more =
                record("state.heartbeat", 1, Json.object().put("revision", 1)).put("token", "t");

        assertThat(SCHEMAS.validate(without)).extracting(FieldProblem::field).containsExactly("/correlation_id");
        assertThat(SCHEMAS.validate(more)).extracting(FieldProblem::field).containsExactly("/token");
    }

    @Test
    void validate_namesTheField_whenThePayloadIsInvalid() {
        var payload = Json.object().put("project_id", "mine").put("revision", 0).put("extra", true);

        assertThat(SCHEMAS.validate(record("authz.project", 1, payload)))
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder("/org_id", "/project_id", "/revision", "/extra");
    }

    @Test
    void validate_returnsNothing_whenTheEventIsValid() {
        var payload = Json.object().put("project_id", ID).put("org_id", ID).put("revision", 1);

        assertThat(SCHEMAS.validate(record("authz.project", 1, payload))).isEmpty();
    }

    @Test
    void schemas_compile_andRejectUnknownObjects() {
        assertThat(SCHEMAS.types()).hasSizeGreaterThan(20).allSatisfy(type -> {
            var name = type.substring(0, type.lastIndexOf(".v"));
            var version = Integer.parseInt(type.substring(type.lastIndexOf(".v") + 2));

            var problems = SCHEMAS.validate(record(name, version, Json.object().put("stranger", 1)));

            assertThat(problems).extracting(FieldProblem::field).contains("/stranger");
            assertThat(problems).extracting(FieldProblem::problem).contains("is required");
        });
    }

    @Test
    void schemas_areNamedByTypeAndVersion() {
        SchemaCompiler.loadResource("events.json").properties().forEach(schema -> {
            var name = schema.getKey();
            assertThat(schema.getValue().path("$id").asText())
                    .isEqualTo("https://slipway.dev/schemas/events/" + name + ".json");
            if (!name.equals("envelope")) {
                assertThat(name)
                        .matches(Pattern.quote(schema.getValue().path("title").asText()) + "\\.v[0-9]+");
                assertThat(schema.getValue().path("x-slipway-topic").asText())
                        .as(name)
                        .isNotEmpty();
            }
        });
    }

    @Test
    void instanceEvents_requireTheirResourceScope() {
        var instanceEvents = SCHEMAS.types().stream()
                .filter(type -> type.matches("apps\\.instance\\.[a-z]+\\.v1"))
                .toList();

        assertThat(instanceEvents).hasSizeGreaterThanOrEqualTo(6).allSatisfy(type -> {
            JsonNode required =
                    SchemaCompiler.loadResource("events.json").path(type).path("required");
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
