package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A condition of a filter: a field of the object, an operator and values of the field's type. */
record RecordCondition(String field, FieldType type, Operator operator, List<String> values) {
    private static final int MAX_CONDITIONS = 50;
    private static final int MAX_VALUES = 100;

    /** The operators of filters. */
    enum Operator implements TextEnum {
        EQ,
        NE,
        LT,
        LTE,
        GT,
        GTE,
        IN,
        CONTAINS,
        IS_NULL
    }

    /** Returns the type of a field or system column; throws a problem for a name that the object does not define. */
    static FieldType typeOf(ObjectDefinition object, String name) {
        return switch (name) {
            case "id" -> FieldType.REFERENCE;
            case "created_at", "updated_at" -> FieldType.DATETIME;
            default ->
                object.field(name)
                        .orElseThrow(() -> invalid(name, "is not a field of " + object.name()))
                        .type();
        };
    }

    /** Returns the conditions of a filter. Throws a problem if it does not match the definition of the object. */
    static List<RecordCondition> of(JsonNode filter, ObjectDefinition object) {
        var conditions = new ArrayList<RecordCondition>();
        for (var entry : filter.properties()) {
            var type = typeOf(object, entry.getKey());
            var value = entry.getValue();
            if (value.isObject() && type != FieldType.JSON) {
                for (var operation : value.properties()) {
                    conditions.add(condition(entry.getKey(), type, operation.getKey(), operation.getValue()));
                }
            } else {
                conditions.add(condition(entry.getKey(), type, "eq", value));
            }
        }
        if (conditions.size() > MAX_CONDITIONS) {
            throw invalid("filter", "has more than " + MAX_CONDITIONS + " conditions");
        }
        return conditions;
    }

    /** Parses a filter; a missing one is an object without conditions. Throws a problem if it is not a JSON object. */
    static JsonNode parse(@Nullable String filter) {
        if (filter == null) {
            return Json.object();
        }
        try {
            var json = Json.parse(filter.getBytes(StandardCharsets.UTF_8));
            if (json.isObject()) {
                return json;
            }
        } catch (IOException e) {
            throw invalid("filter", Json.describeFault(e));
        }
        throw invalid("filter", "must be a JSON object of conditions by field");
    }

    private static RecordCondition condition(String field, FieldType type, String name, JsonNode value) {
        var operator = operator(field, name);
        if (operator == Operator.IS_NULL || value.isNull()) {
            var isNull = value.isNull() || value.asBoolean();
            return new RecordCondition(
                    field, type, Operator.IS_NULL, List.of(String.valueOf(isNull != (operator == Operator.NE))));
        }
        if (operator == Operator.CONTAINS && type != FieldType.TEXT) {
            throw invalid(field, "is not a text: contains does not apply");
        }
        if (operator == Operator.IN && (!value.isArray() || value.isEmpty() || value.size() > MAX_VALUES)) {
            throw invalid(field, "in needs a list of 1 to " + MAX_VALUES + " values");
        }
        var values = new ArrayList<String>();
        for (var one : operator == Operator.IN ? value : List.of(value)) {
            var problem = FieldValues.validate(type, one);
            if (problem != null) {
                throw invalid(field, problem);
            }
            values.add(FieldValues.text(type, one));
        }
        return new RecordCondition(field, type, operator, List.copyOf(values));
    }

    private static Operator operator(String field, String name) {
        for (var operator : Operator.values()) {
            if (operator.text().equals(name)) {
                return operator;
            }
        }
        throw invalid(field, "has an unknown operator; use eq, ne, lt, lte, gt, gte, in, contains or is_null");
    }

    static ProblemException invalid(String field, String problem) {
        return Problem.validationOf(ErrorCode.FILTER_INVALID, field, problem).asException();
    }
}
