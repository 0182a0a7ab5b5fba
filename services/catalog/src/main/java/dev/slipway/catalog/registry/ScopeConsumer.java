package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.RegistryJson.ActionEvent;
import dev.slipway.catalog.registry.RegistryJson.ScopeBody;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;
import java.util.Objects;

/** Replicates IAM's actions into the scope registry. The catalog numbers their versions itself. */
public final class ScopeConsumer {
    private final RegistryReplicator replicator;

    public ScopeConsumer(RegistryReplicator replicator) {
        this.replicator = replicator;
    }

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            if (event.envelope().eventType().equals("authz.action")) {
                var action = Json.toRecord(event.envelope().payload(), ActionEvent.class);
                chain = chain.compose(ok -> replicator.applyReplica(unit, toEntry(action), action.revision()));
            }
        }
        return chain;
    }

    private static RegistryEntry toEntry(ActionEvent action) {
        var body = new ScopeBody(
                Objects.requireNonNullElse(action.product(), "-"),
                Objects.requireNonNullElse(action.riskClass(), "high"),
                Objects.requireNonNullElse(action.description(), ""),
                action.version());
        return new RegistryEntry(
                RegistryKind.SCOPE,
                action.action(),
                1,
                TextEnum.parse(RegistryLifecycle.class, action.lifecycle()),
                Json.toObject(body));
    }
}
