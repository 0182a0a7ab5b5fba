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
 * The runtime of the seeded adapter. It runs in another process and therefore survives the adapter. A workload is a server with its own
 * address that becomes healthy some time after its launch, or never.
 */
public final class FakeCluster implements AutoCloseable {
    private final Map<String, RunningWorkload> workloads = new ConcurrentHashMap<>();
    private final Map<String, HttpServer> servers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final HttpServer api;

    private record RunningWorkload(String id, String instance, String key, String url, long readyAt, boolean broken) {
        String line() {
            return id + " " + instance + " " + key + " " + url;
        }
    }

    public FakeCluster() throws IOException {
        api = server(0);
        api.createContext("/workloads", this::handle);
        api.start();
    }

    /** Returns the address of the API: {@code GET ?instance=}, {@code POST ?instance=&key=&ready_in_ms=…}, {@code DELETE ?id=}. */
    public String url() {
        return "http://127.0.0.1:" + api.getAddress().getPort() + "/workloads";
    }

    @Override
    public void close() {
        timer.shutdownNow();
        api.stop(0);
        workloads.keySet().forEach(this::end);
    }

    private void handle(HttpExchange exchange) throws IOException {
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
                        workloads.values().stream()
                                .filter(workload -> query.getOrDefault("instance", workload.instance)
                                        .equals(workload.instance))
                                .map(RunningWorkload::line)
                                .sorted()
                                .collect(Collectors.joining("\n")));
        }
    }

    private RunningWorkload launch(Map<String, String> query) throws IOException {
        var startsInMs = Long.parseLong(query.getOrDefault("starts_in_ms", "0"));
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var workload = new RunningWorkload(
                Ids.next().toString(),
                query.get("instance"),
                query.get("key"),
                "http://127.0.0.1:" + port,
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(query.get("ready_in_ms"))),
                Boolean.parseBoolean(query.get("broken")));
        if (startsInMs == 0) {
            run(workload, port);
        } else {
            timer.schedule(() -> run(workload, port), startsInMs, TimeUnit.MILLISECONDS);
        }
        return workload;
    }

    private void run(RunningWorkload workload, int port) {
        try {
            var server = server(port);
            server.createContext("/health", exchange -> {
                var ready = System.nanoTime() >= workload.readyAt;
                reply(exchange, workload.broken ? 500 : ready ? 200 : 503, "");
            });
            server.createContext("/", exchange -> reply(exchange, 200, "{\"launch_id\":\"" + workload.id + "\"}"));
            server.start();
            servers.put(workload.id, server);
            workloads.put(workload.id, workload);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void end(String id) {
        workloads.remove(id);
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
