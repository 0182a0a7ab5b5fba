package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.util.List;

/** How a command ended, or what became of an instance later. */
public sealed interface Outcome {

    /** The instance is up and healthy: the end of a deploy, an upgrade or a rollback. */
    record Running(List<Endpoint> endpoints) implements Outcome {
        public Running {
            endpoints = List.copyOf(endpoints);
        }
    }

    /** A member operation or a declared operation was carried out; the output is the latter's. */
    record Done(ObjectNode output) implements Outcome {
        public Done() {
            this(Json.object());
        }
    }

    /** It cannot run, stopped running, or could not be done; the reason is for the person who asked for it. */
    record Failed(String reason) implements Outcome {}

    /** The command was not wanted any more, and left things as they were before it. */
    record Canceled(String reason) implements Outcome {}

    /** Nothing of it is left. */
    record Deleted() implements Outcome {}

    /** Where users reach the instance. */
    record Endpoint(String name, String url) {}
}
