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

/** The app of the built-in profile {@code echo}: says what it was asked. Runs in a JVM of its own, with the JDK and nothing else. */
final class EchoServer {
    private EchoServer() {}

    public static void main(String[] args) throws IOException {
        var env = System.getenv();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/health", exchange -> answer(exchange, "{\"status\":\"up\"}"));
        server.createContext("/", exchange -> answer(exchange, echo(exchange, env)));
        server.start();
        var portFile = Path.of(args[0]);
        var temporary = Path.of(args[0] + ".tmp");
        Files.writeString(temporary, String.valueOf(server.getAddress().getPort()));
        Files.move(temporary, portFile, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String echo(HttpExchange exchange, Map<String, String> env) {
        return "{\"app_instance_id\":" + quote(env.getOrDefault(Processes.MARK, ""))
                + ",\"method\":" + quote(exchange.getRequestMethod())
                + ",\"path\":" + quote(exchange.getRequestURI().getPath())
                + ",\"message\":" + quote(env.getOrDefault("SLIPWAY_CONFIG_MESSAGE", "")) + "}";
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
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
