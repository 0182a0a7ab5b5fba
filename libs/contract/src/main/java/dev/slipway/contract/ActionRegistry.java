package dev.slipway.contract;

import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;

import java.util.List;
import java.util.stream.StreamSupport;

/** The seed entries of the action registry. */
public record ActionRegistry(List<Action> actions) {

    public record Action(
            String key,
            String product,
            int version,
            String riskClass,
            RegistryLifecycle lifecycle,
            String description) {}

    public static ActionRegistry load() {
        var entries = SchemaCompiler.loadResource("registry-actions.json").path("entries");
        return new ActionRegistry(StreamSupport.stream(entries.spliterator(), false)
                .map(e -> new Action(
                        e.path("action").asText(),
                        e.path("product").asText(),
                        e.path("version").asInt(),
                        e.path("risk_class").asText(),
                        TextEnum.parse(
                                RegistryLifecycle.class, e.path("lifecycle").asText()),
                        e.path("description").asText()))
                .toList());
    }
}
