package dev.slipway.standalone;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static java.util.Objects.requireNonNull;

/** Captures log lines, encoded as the shipped configuration encodes them, on the thread that logs: the request context is still current there. */
final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<JsonNode> lines = new CopyOnWriteArrayList<>();
    private final Encoder<ILoggingEvent> encoder = shippedEncoder();
    private final Logger root;

    CapturedLog() {
        var loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
        setContext(loggers);
        start();
        root = loggers.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(this);
    }

    private static Encoder<ILoggingEvent> shippedEncoder() {
        var shipped = new LoggerContext();
        var configurator = new JoranConfigurator();
        configurator.setContext(shipped);
        try {
            configurator.doConfigure(requireNonNull(CapturedLog.class.getResource("/logback.xml")));
        } catch (JoranException e) {
            throw new IllegalStateException(e);
        }
        var appender = shipped.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("OUT");
        return ((OutputStreamAppender<ILoggingEvent>) requireNonNull(appender)).getEncoder();
    }

    List<JsonNode> of(String correlationId) {
        return lines.stream()
                .filter(line -> line.path("correlation_id").asText().equals(correlationId))
                .toList();
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(Json.parseTrusted(encoder.encode(event)));
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
