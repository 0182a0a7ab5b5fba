package dev.slipway.standalone;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.RequestFields;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What is logged, as it is logged: a line is made where its request is still the current one. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<JsonNode> lines = new CopyOnWriteArrayList<>();
    private final LogstashEncoder encoder = new LogstashEncoder();
    private final Logger root;

    LogLines() {
        var loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
        setContext(loggers);
        encoder.setContext(loggers);
        encoder.addProvider(new RequestFields());
        encoder.start();
        start();
        root = loggers.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(this);
    }

    List<JsonNode> of(String correlationId) {
        return lines.stream()
                .filter(line -> line.path("correlation_id").asText().equals(correlationId))
                .toList();
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(Json.node(encoder.encode(event)));
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
