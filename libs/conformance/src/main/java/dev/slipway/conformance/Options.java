package dev.slipway.conformance;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The options of a run.
 *
 * @param adapter the command that starts the adapter; null if it is started manually
 * @param effects a command or an address that lists the effects of an instance; null if only endpoints can be observed
 * @param host the host name under which the adapter reaches the kit
 */
record Options(
        String kafka,
        Map<String, String> kafkaClient,
        String topicPrefix,
        @Nullable String adapter,
        @Nullable String effects,
        List<Scenario> scenarios,
        Path data,
        String host,
        int port,
        Timeouts limits) {
    Options {
        kafkaClient = Map.copyOf(kafkaClient);
        scenarios = List.copyOf(scenarios);
    }
}
