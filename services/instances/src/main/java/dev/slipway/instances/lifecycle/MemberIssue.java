package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.Map;

/** What the life of an instance means to its members. */
public interface MemberIssue {
    /** Members, as commands name them, and the instance with the number of the last event that was told of them. */
    record Issued(AppInstance instance, ArrayNode members) {}

    /** Refuses a launch with members that the manifest has no place for. */
    void requireFit(JsonNode manifest, Map<String, Integer> counts);

    /**
     * Who they are to be, for the command that deploys or upgrades it. {@code manifest} is that of the version that is to run; of a
     * component that {@code counts} does not name there are as many as it says.
     */
    Future<Issued> issue(UnitOfWork unit, AppInstance instance, JsonNode manifest, Map<String, Integer> counts);

    /** Makes of them what the end of an operation on one leaves; answers the instance with the number of the last event. */
    Future<AppInstance> settle(UnitOfWork unit, AppInstance instance, Operation ended);
}
