package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads server-sent events and validates each against the contract. */
public final class ServerEvents implements AutoCloseable {
    private static final int PATIENCE_S = 60;

    private final InputStream in;
    private final BlockingQueue<JsonNode> events = new LinkedBlockingQueue<>();
    private final AtomicInteger comments = new AtomicInteger();
    private volatile boolean isEnded;

    ServerEvents(String operationId, InputStream in) {
        this.in = in;
        var thread = new Thread(() -> read(operationId), "server-events");
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits for the next event and returns its name, id and data. */
    public JsonNode next() {
        try {
            var next = events.poll(PATIENCE_S, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError(isEnded ? "the stream has ended" : "no event came");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the number of keep-alive comments so far. */
    public int comments() {
        return comments.get();
    }

    /** Returns whether the server has ended the stream. */
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String operationId) {
        try (var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            var event = Json.object();
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(":")) {
                    comments.incrementAndGet();
                } else if (!line.isEmpty()) {
                    var field = line.split(": ", 2);
                    if (field[0].equals("data")) {
                        event.set("data", Json.parseTrusted(field[1].getBytes(StandardCharsets.UTF_8)));
                    } else {
                        event.put(field[0], field[1]);
                    }
                } else if (!event.isEmpty()) {
                    ApiClient.validate(operationId, 200, event);
                    events.add(event);
                    event = Json.object();
                }
            }
        } catch (IOException e) {
            // Closed, by them or by us.
        } finally {
            isEnded = true;
        }
    }
}
