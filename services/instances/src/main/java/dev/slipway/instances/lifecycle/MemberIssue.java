package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/** Who the members of an instance are to be, for the command that deploys or upgrades it. */
public interface MemberIssue {
    /** Members, as commands name them, and the instance with the number of the last event that was told of them. */
    record Issued(AppInstance instance, ArrayNode members) {}

    MemberIssue NONE = (unit, instance, manifest) -> Future.succeededFuture(new Issued(instance, Json.array()));

    /** {@code manifest} is that of the version that is to run. */
    Future<Issued> issue(UnitOfWork unit, AppInstance instance, JsonNode manifest);
}
