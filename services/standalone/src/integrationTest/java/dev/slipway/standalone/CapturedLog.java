package dev.slipway.standalone;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static java.util.Objects.requireNonNull;

/** Writes the log of this JVM to a file with the shipped configuration of the program, and reads it as a log collector does. */
final class CapturedLog implements AutoCloseable {
    private final LoggerContext shipped = new LoggerContext();
    private final Path file;
    private final Appender<ILoggingEvent> appender;
    private final Logger root =
            ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    CapturedLog() {
        try {
            file = Files.createTempFile("slipway", ".log");
            shipped.putProperty("slipway.log", file.toString());
            var configurator = new JoranConfigurator();
            configurator.setContext(shipped);
            configurator.doConfigure(requireNonNull(CapturedLog.class.getResource("/logback-file.xml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JoranException e) {
            throw new IllegalStateException(e);
        }
        appender = requireNonNull(
                shipped.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("FILE"));
        root.addAppender(appender);
    }

    /** Returns the lines with the correlation id, as JSON. Every line of the file must be JSON. */
    List<JsonNode> of(String correlationId) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> Json.parseTrusted(line.getBytes(StandardCharsets.UTF_8)))
                    .filter(line -> line.path("correlation_id").asText().equals(correlationId))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        shipped.stop();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
