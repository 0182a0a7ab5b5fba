package dev.slipway.processadapter;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The app of the built-in profile {@code echo}: returns the request. Runs in its own JVM and depends on the JDK only. */
final class EchoServer {
    /** A JSON string literal, which is returned unchanged. */
    private static final Pattern MESSAGE = Pattern.compile("\"message\"\\s*:\\s*(\"(?:[^\"\\\\]|\\\\.)*\")");

    private static final Pattern SECONDS = Pattern.compile("\"seconds\"\\s*:\\s*([0-9]{1,4})");

    private EchoServer() {}

    public static void main(String[] args) throws Exception {
        var env = System.getenv();
        TimeUnit.SECONDS.sleep(Long.parseLong(env.getOrDefault("SLIPWAY_CONFIG_START_AFTER_SECONDS", "0")));
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/health", exchange -> reply(exchange, "{\"status\":\"up\"}"));
        server.createContext("/ping", exchange -> reply(exchange, ping(body(exchange), env)));
        server.createContext("/wait", exchange -> reply(exchange, waitSeconds(body(exchange))));
        server.createContext("/", exchange -> reply(exchange, echo(exchange, env)));
        start(server, args[0]);
    }

    /** Starts the server and writes its port, which tells the adapter that it is up. */
    static void start(HttpServer server, String portFile) throws IOException {
        server.start();
        var temporary = Path.of(portFile + ".tmp");
        Files.writeString(temporary, String.valueOf(server.getAddress().getPort()));
        Files.move(temporary, Path.of(portFile), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String echo(HttpExchange exchange, Map<String, String> env) {
        return "{\"app_instance_id\":" + quote(env.getOrDefault(ProcessTable.INSTANCE_VARIABLE, ""))
                + ",\"version\":" + quote(env.getOrDefault("SLIPWAY_APP_VERSION", ""))
                + ",\"member\":" + quote(env.getOrDefault("SLIPWAY_MEMBER_ID", ""))
                + ",\"method\":" + quote(exchange.getRequestMethod())
                + ",\"path\":" + quote(exchange.getRequestURI().getPath())
                + ",\"message\":" + quote(env.getOrDefault("SLIPWAY_CONFIG_MESSAGE", "")) + "}";
    }

    /** The operation {@code echo.ping}. */
    private static String ping(String input, Map<String, String> env) {
        var message = MESSAGE.matcher(input);
        return "{\"message\":" + (message.find() ? message.group(1) : "\"\"") + ",\"member\":"
                + quote(env.getOrDefault("SLIPWAY_MEMBER_ID", "")) + "}";
    }

    /** The operation {@code echo.wait}: waits for the given number of seconds. */
    private static String waitSeconds(String input) throws IOException {
        var seconds = SECONDS.matcher(input);
        var requested = seconds.find() ? Integer.parseInt(seconds.group(1)) : 0;
        try {
            TimeUnit.SECONDS.sleep(requested);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return "{\"waited_seconds\":" + requested + "}";
    }

    static String body(HttpExchange exchange) throws IOException {
        return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    static void reply(HttpExchange exchange, String json) throws IOException {
        var body = json.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().add("content-type", "application/json");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static String quote(String text) {
        var quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
