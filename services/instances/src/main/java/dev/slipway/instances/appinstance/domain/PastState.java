package dev.slipway.instances.appinstance.domain;

import java.util.List;
import java.util.Map;

/**
 * The state of an instance as computed from its events.
 *
 * @param fields JSON texts by their names in responses
 * @param missing the first sequence numbers without an event; empty unless the history is damaged
 */
public record PastState(long sequence, Map<String, String> fields, List<Long> missing) {}
