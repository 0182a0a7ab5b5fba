package dev.slipway.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;

import java.time.Instant;
import java.util.ArrayList;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks JSON records against the contract, whose schemas allow no additional fields. */
public final class ContractAssertions {
    private static final Contract CONTRACT = Contract.load();
    private static final EventSchemas EVENTS = EventSchemas.load();

    private ContractAssertions() {}

    /** Returns the JSON after checking it against a schema of the OpenAPI contract. */
    @CanIgnoreReturnValue
    public static JsonNode assertSchema(String schema, Object record) {
        var json = Json.toObject(record);
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.schemaValidator(schema).validate(json, problems);
        assertThat(problems).as(schema + " " + json).isEmpty();
        return json;
    }

    /** Returns the JSON after checking it against the schema of an event's payload. */
    @CanIgnoreReturnValue
    public static JsonNode assertEvent(String eventType, Object record) {
        var json = Json.toObject(record);
        var envelope = new Envelope(Ids.next(), eventType, Instant.EPOCH, 1, "c-1", json);
        assertThat(EVENTS.validate(Json.parseTrusted(envelope.toBytes())))
                .as(eventType + " " + json)
                .isEmpty();
        return json;
    }
}
