package dev.slipway.adapter;

import java.util.List;

/** How a command ended, or what became of an instance later. */
public sealed interface Outcome {

    /** The instance is up and healthy. */
    record Running(List<Endpoint> endpoints) implements Outcome {
        public Running {
            endpoints = List.copyOf(endpoints);
        }
    }

    /** It cannot run, or stopped running; the reason is for the person who asked for it. */
    record Failed(String reason) implements Outcome {}

    /** Nothing of it is left. */
    record Deleted() implements Outcome {}

    /** Where users reach the instance. */
    record Endpoint(String name, String url) {}
}
