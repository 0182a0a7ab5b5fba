package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;

/** Sends bytes that an HTTP client would not send. */
final class RawHttp implements AutoCloseable {
    private final Socket socket;

    /** The bytes received before the server closed the connection. */
    record RawResponse(String text) {
        int status() {
            return text.matches("(?s)HTTP/1\\.[01] [0-9]{3} .*") ? Integer.parseInt(text.substring(9, 12)) : 0;
        }

        String header(String name) {
            return text.lines()
                    .takeWhile(line -> !line.isEmpty())
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }

        /** Returns the body; of NDJSON, the first line; text and bytes as one value. */
        JsonNode body() {
            var start = text.indexOf("\r\n\r\n");
            var bytes = text.substring(start + 4).getBytes(StandardCharsets.ISO_8859_1);
            var content = header("Content-Encoding").equals("gzip") ? unzip(bytes) : bytes;
            var decoded = new String(content, StandardCharsets.UTF_8);
            return switch (header("Content-Type")) {
                case "application/x-ndjson" ->
                    Json.parseTrusted(
                            decoded.substring(0, decoded.indexOf('\n')).getBytes(StandardCharsets.UTF_8));
                case "text/plain", "text/csv" -> TextNode.valueOf(decoded);
                case "application/octet-stream" ->
                    TextNode.valueOf(Base64.getEncoder().encodeToString(content));
                default -> Json.parseTrusted(content);
            };
        }

        private static byte[] unzip(byte[] bytes) {
            try (var content = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                return content.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    RawHttp(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(90_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends the bytes and reads until the server closes the connection. */
    static RawResponse exchange(int port, byte[] bytes) {
        try (var http = new RawHttp(port)) {
            http.send(bytes);
            return http.untilClosed();
        }
    }

    /** Sends a request line with valid headers and {@code Connection: close}. */
    static RawResponse exchange(int port, String requestLine, String... headers) {
        var text = requestLine + "\r\nHost: localhost\r\nConnection: close\r\n";
        return exchange(port, (text + String.join("", headers) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (SocketException e) {
            // Closed before it had all: the answer, if there is one, can still be read.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String read(int bytes) {
        try {
            return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads until the server closes the connection, or only the headers of an event stream. */
    RawResponse response() {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            var next = read(1);
            if (next.isEmpty()) {
                return new RawResponse(head.toString());
            }
            head.append(next);
        }
        var response = new RawResponse(head.toString());
        return response.header("Content-Type").equals("text/event-stream")
                ? response
                : new RawResponse(head + untilClosed().text());
    }

    /** Fails if the server keeps the connection open. */
    RawResponse untilClosed() {
        return new RawResponse(read(Integer.MAX_VALUE));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
