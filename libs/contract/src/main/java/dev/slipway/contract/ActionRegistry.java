package dev.slipway.contract;

import java.util.List;
import java.util.stream.StreamSupport;

/** The seed entries of the action registry, with all that the registry says of each. */
public record ActionRegistry(List<Action> actions) {

    /** Something that may be asked for: whose it is, how risky, and where it is in its life. */
    public record Action(
            String key, String product, int version, String riskClass, String lifecycle, String description) {}

    public static ActionRegistry load() {
        var entries = Schemas.resource("registry-actions.json").path("entries");
        return new ActionRegistry(StreamSupport.stream(entries.spliterator(), false)
                .map(e -> new Action(
                        e.path("action").asText(),
                        e.path("product").asText(),
                        e.path("version").asInt(),
                        e.path("risk_class").asText(),
                        e.path("lifecycle").asText(),
                        e.path("description").asText()))
                .toList());
    }
}
