package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.tenants.data.RecordOrder.Position;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** Keeps records in the memory of this process, for previews and tests. They are lost when it ends, and other processes do not see them. */
public final class MemoryRecordStore implements RecordStore {
    private static final int MAX_RECORDS_PER_OBJECT = 10_000;

    private final Clock clock;
    private final Map<ObjectKey, Map<UUID, ObjectNode>> records = new HashMap<>();

    private record ObjectKey(UUID tenantId, String objectName) {}

    public MemoryRecordStore(Clock clock) {
        this.clock = clock;
    }

    @Override
    public synchronized Future<List<ObjectNode>> list(
            Tenant tenant,
            ObjectDefinition object,
            List<RecordCondition> conditions,
            RecordOrder order,
            @Nullable Position after,
            int limit) {
        var comparator = comparator(order);
        var last = after == null ? null : recordAt(order, after);
        return Future.succeededFuture(records(tenant, object).values().stream()
                .filter(item -> conditions.stream().allMatch(condition -> matches(item, condition)))
                .filter(item -> last == null || comparator.compare(item, last) > 0)
                .sorted(comparator)
                .limit(limit)
                .map(ObjectNode::deepCopy)
                .toList());
    }

    @Override
    public synchronized Future<@Nullable ObjectNode> find(Tenant tenant, ObjectDefinition object, UUID id) {
        var found = records(tenant, object).get(id);
        return Future.succeededFuture(found == null ? null : found.deepCopy());
    }

    @Override
    public synchronized Future<@Nullable ObjectNode> insert(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        var all = records(tenant, object);
        if (all.containsKey(id)) {
            return Future.succeededFuture();
        }
        if (all.size() >= MAX_RECORDS_PER_OBJECT) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.QUOTA_EXCEEDED,
                            "A tenant in memory has at most " + MAX_RECORDS_PER_OBJECT + " records per object.")
                    .asException());
        }
        var now = now();
        var created =
                Json.object().put("id", id.toString()).put("created_at", now).put("updated_at", now);
        object.fields().forEach(field -> created.set(field.name(), initial(field)));
        values.forEach((name, value) -> created.set(name, parse(RecordCondition.typeOf(object, name), value)));
        return store(object, all, id, created);
    }

    @Override
    public synchronized Future<@Nullable ObjectNode> update(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        var all = records(tenant, object);
        var current = all.get(id);
        if (current == null) {
            return Future.succeededFuture();
        }
        var next = current.deepCopy().put("updated_at", now());
        values.forEach((name, value) -> next.set(name, parse(RecordCondition.typeOf(object, name), value)));
        return store(object, all, id, next);
    }

    @Override
    public synchronized Future<@Nullable ObjectNode> delete(Tenant tenant, ObjectDefinition object, UUID id) {
        return Future.succeededFuture(records(tenant, object).remove(id));
    }

    /** Forgets the records of a tenant. */
    public synchronized void deleteAll(UUID tenantId) {
        records.keySet().removeIf(key -> key.tenantId.equals(tenantId));
    }

    private Map<UUID, ObjectNode> records(Tenant tenant, ObjectDefinition object) {
        return records.computeIfAbsent(new ObjectKey(tenant.id(), object.name()), key -> new HashMap<>());
    }

    private static Future<@Nullable ObjectNode> store(
            ObjectDefinition object, Map<UUID, ObjectNode> all, UUID id, ObjectNode next) {
        for (var field : object.fields()) {
            var value = next.path(field.name());
            if (field.required() && value.isNull()) {
                return Future.failedFuture(
                        Problem.validationOf(ErrorCode.RECORD_INVALID, "/" + field.name(), "is required by the object")
                                .asException());
            }
            if (field.unique() && !value.isNull() && isTaken(all, id, field.name(), value)) {
                return Future.failedFuture(Problem.of(
                                ErrorCode.RECORD_CONFLICT,
                                "Another record has the same value of a unique field (" + field.name() + ").")
                        .asException());
            }
        }
        all.put(id, next);
        return Future.succeededFuture(next.deepCopy());
    }

    private static boolean isTaken(Map<UUID, ObjectNode> all, UUID id, String field, JsonNode value) {
        return all.entrySet().stream()
                .anyMatch(entry -> !entry.getKey().equals(id)
                        && value.equals(entry.getValue().path(field)));
    }

    private static JsonNode initial(FieldDefinition field) {
        var value = field.defaultValue();
        return value == null ? Json.object().nullNode() : Json.parseTrusted(Json.bytes(value));
    }

    private static JsonNode parse(FieldType type, @Nullable String text) {
        var factory = Json.object();
        if (text == null) {
            return factory.nullNode();
        }
        return switch (type) {
            case TEXT, DATE, DATETIME, REFERENCE -> factory.textNode(text);
            case NUMBER, INTEGER, BOOLEAN, JSON -> Json.parseTrusted(text.getBytes(StandardCharsets.UTF_8));
        };
    }

    private static boolean matches(ObjectNode item, RecordCondition condition) {
        var value = item.path(condition.field());
        var isNull = value.isNull() || value.isMissingNode();
        var first = condition.values().get(0);
        return switch (condition.operator()) {
            case IS_NULL -> isNull == first.equals("true");
            case NE -> isNull || compare(condition.type(), value, first) != 0;
            case EQ -> !isNull && compare(condition.type(), value, first) == 0;
            case LT -> !isNull && compare(condition.type(), value, first) < 0;
            case LTE -> !isNull && compare(condition.type(), value, first) <= 0;
            case GT -> !isNull && compare(condition.type(), value, first) > 0;
            case GTE -> !isNull && compare(condition.type(), value, first) >= 0;
            case IN ->
                !isNull && condition.values().stream().anyMatch(one -> compare(condition.type(), value, one) == 0);
            case CONTAINS ->
                !isNull && value.asText().toLowerCase(Locale.ROOT).contains(first.toLowerCase(Locale.ROOT));
        };
    }

    private static int compare(FieldType type, JsonNode value, String other) {
        return switch (type) {
            case NUMBER, INTEGER -> value.decimalValue().compareTo(new BigDecimal(other));
            case BOOLEAN -> Boolean.compare(value.asBoolean(), Boolean.parseBoolean(other));
            case DATE -> LocalDate.parse(value.asText()).compareTo(LocalDate.parse(other));
            case DATETIME ->
                OffsetDateTime.parse(value.asText())
                        .toInstant()
                        .compareTo(OffsetDateTime.parse(other).toInstant());
            case TEXT, REFERENCE -> value.asText().compareTo(other);
            case JSON -> Json.text(value).compareTo(other);
        };
    }

    /** As in PostgreSQL: records without a value come last in both directions. */
    private static Comparator<ObjectNode> comparator(RecordOrder order) {
        Comparator<ObjectNode> byValue = (a, b) -> {
            var left = a.path(order.field());
            var right = b.path(order.field());
            if (left.isNull() || right.isNull()) {
                return Boolean.compare(left.isNull(), right.isNull());
            }
            var compared = compare(order.type(), left, FieldValues.text(order.type(), right));
            return order.descending() ? -compared : compared;
        };
        Comparator<ObjectNode> byId =
                Comparator.comparing(item -> item.path("id").asText());
        return byValue.thenComparing(order.descending() ? byId.reversed() : byId);
    }

    private static ObjectNode recordAt(RecordOrder order, Position after) {
        var item = Json.object();
        item.set(order.field(), parse(order.type(), after.value()));
        return item.put("id", after.id().toString());
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS).toString();
    }
}
