package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.tenants.data.RecordOrder.Position;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The records of a tenant: in PostgreSQL, or in memory. Values are texts of the type of their field; null deletes a value. */
interface RecordStore {
    Future<List<ObjectNode>> list(
            Tenant tenant,
            ObjectDefinition object,
            List<RecordCondition> conditions,
            RecordOrder order,
            @Nullable Position after,
            int limit);

    /** Returns null if there is no such record. */
    Future<@Nullable ObjectNode> find(Tenant tenant, ObjectDefinition object, UUID id);

    /** Returns null if a record with the id exists. */
    Future<@Nullable ObjectNode> insert(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values);

    /** Returns null if there is no such record. */
    Future<@Nullable ObjectNode> update(
            Tenant tenant, ObjectDefinition object, UUID id, Map<String, @Nullable String> values);

    /** Returns the deleted record, or null if there is no such record. */
    Future<@Nullable ObjectNode> delete(Tenant tenant, ObjectDefinition object, UUID id);
}
