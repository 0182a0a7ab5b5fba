package dev.slipway.conformance.seeded;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.slipway.contract.Ids;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The runtime that the seeded adapter runs instances on: it is somewhere else, so it outlives the adapter. A thing is a server with an
 * address of its own that is healthy some time after it was launched, or never.
 */
public final class Cluster implements AutoCloseable {
    private final Map<String, Thing> things = new ConcurrentHashMap<>();
    private final Map<String, HttpServer> servers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final HttpServer api;

    private record Thing(String id, String instance, String key, String url, long readyAt, boolean broken) {
        String line() {
            return id + " " + instance + " " + key + " " + url;
        }
    }

    public Cluster() throws IOException {
        api = server(0);
        api.createContext("/things", this::answer);
        api.start();
    }

    /** Lists and takes things: {@code GET ?instance=}, {@code POST ?instance=&key=&ready_in_ms=…}, {@code DELETE ?id=}. */
    public String url() {
        return "http://127.0.0.1:" + api.getAddress().getPort() + "/things";
    }

    @Override
    public void close() {
        timer.shutdownNow();
        api.stop(0);
        things.keySet().forEach(this::end);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var query = query(exchange.getRequestURI().getQuery());
        switch (exchange.getRequestMethod()) {
            case "POST" -> reply(exchange, 200, launch(query).line());
            case "DELETE" -> {
                end(query.get("id"));
                reply(exchange, 200, "");
            }
            default ->
                reply(
                        exchange,
                        200,
                        things.values().stream()
                                .filter(thing -> query.getOrDefault("instance", thing.instance)
                                        .equals(thing.instance))
                                .map(Thing::line)
                                .sorted()
                                .collect(Collectors.joining("\n")));
        }
    }

    private Thing launch(Map<String, String> query) throws IOException {
        var startsInMs = Long.parseLong(query.getOrDefault("starts_in_ms", "0"));
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var thing = new Thing(
                Ids.next().toString(),
                query.get("instance"),
                query.get("key"),
                "http://127.0.0.1:" + port,
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(query.get("ready_in_ms"))),
                Boolean.parseBoolean(query.get("broken")));
        if (startsInMs == 0) {
            run(thing, port);
        } else {
            timer.schedule(() -> run(thing, port), startsInMs, TimeUnit.MILLISECONDS);
        }
        return thing;
    }

    private void run(Thing thing, int port) {
        try {
            var server = server(port);
            server.createContext("/health", exchange -> {
                var ready = System.nanoTime() >= thing.readyAt;
                reply(exchange, thing.broken ? 500 : ready ? 200 : 503, "");
            });
            server.createContext("/", exchange -> reply(exchange, 200, "{\"launch_id\":\"" + thing.id + "\"}"));
            server.start();
            servers.put(thing.id, server);
            things.put(thing.id, thing);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void end(String id) {
        things.remove(id);
        var server = servers.remove(id);
        if (server != null) {
            server.stop(0);
        }
    }

    private static HttpServer server(int port) throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    }

    private static Map<String, String> query(String text) {
        return Arrays.stream(text == null ? new String[0] : text.split("&", -1))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
