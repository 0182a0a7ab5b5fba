package dev.slipway.processadapter;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The controller of the built-in profile {@code echo-cluster}: passes each job to one of its workers, in turn. A worker is an {@link
 * EchoServer} whose process directory lies beside that of the controller. Depends on the JDK only.
 */
final class EchoClusterController {
    static final String COMPONENT = "controller";
    /** Written into the directory of a process that is drained. */
    static final String DRAINED = "drained";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Path processes;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger turn = new AtomicInteger();

    private EchoClusterController(Path processes) {
        this.processes = processes;
    }

    public static void main(String[] args) throws Exception {
        var controller =
                new EchoClusterController(Path.of(args[1]).resolve("..").normalize());
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/health", exchange -> EchoServer.reply(exchange, "{\"status\":\"up\"}"));
        server.createContext("/submit", controller::submit);
        server.createContext(
                "/",
                exchange -> EchoServer.reply(
                        exchange, "{\"workers\":" + controller.workerPorts().size() + "}"));
        EchoServer.start(server, args[0]);
    }

    /** The operation {@code job.submit}. */
    private void submit(HttpExchange exchange) throws IOException {
        var workers = workerPorts();
        if (workers.isEmpty()) {
            try (exchange) {
                exchange.sendResponseHeaders(503, -1);
            }
            return;
        }
        var port = workers.get(Math.floorMod(turn.getAndIncrement(), workers.size()));
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ping"))
                .timeout(TIMEOUT)
                .POST(HttpRequest.BodyPublishers.ofString(EchoServer.body(exchange)))
                .build();
        try {
            EchoServer.reply(
                    exchange, http.send(request, BodyHandlers.ofString()).body());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Returns the ports of the workers that are up and not drained. */
    private List<String> workerPorts() throws IOException {
        var ports = new ArrayList<String>();
        try (var directories = Files.newDirectoryStream(processes, "worker.*")) {
            for (var directory : directories) {
                var port = directory.resolve("port");
                if (Files.exists(port) && !Files.exists(directory.resolve(DRAINED))) {
                    ports.add(Files.readString(port).strip());
                }
            }
        }
        return ports;
    }
}
