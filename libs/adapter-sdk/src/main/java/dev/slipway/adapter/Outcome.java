package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.util.List;

/** Result of a command, or a later state of an instance. */
public sealed interface Outcome {

    /** The instance is up and healthy. Ends a deploy, an upgrade or a rollback. */
    record Running(List<Endpoint> endpoints) implements Outcome {
        public Running {
            endpoints = List.copyOf(endpoints);
        }
    }

    /** A member operation or a declared operation succeeded. Only declared operations have an output. */
    record Done(ObjectNode output) implements Outcome {
        public Done() {
            this(Json.object());
        }
    }

    /** The instance cannot run, stopped running, or the command failed. The reason is shown to the user. */
    record Failed(String reason) implements Outcome {}

    /** The command was canceled and its partial work undone. */
    record Canceled(String reason) implements Outcome {}

    /** The instance is removed completely. */
    record Deleted() implements Outcome {}

    /** Address at which users reach the instance. */
    record Endpoint(String name, String url) {}
}
