package dev.slipway.instances.appinstance.domain;

import java.util.List;

/** What the lifecycle answers to a command. */
public sealed interface Decision {
    /** It is done: the state after it, and what to announce. No events: nothing changed that anybody has to hear of. */
    record Accepted(AppInstance next, List<InstanceEvent> events) implements Decision {}

    /** It is not done; the code is of the error catalogue. */
    record Refused(String code, String message) implements Decision {}
}
