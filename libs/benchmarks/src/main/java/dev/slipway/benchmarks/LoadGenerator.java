package dev.slipway.benchmarks;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Sends HTTP requests over keep-alive connections from one thread, with little work per request, as it shares the processors with the
 * measured server. At a fixed rate, the wait for a free connection counts.
 */
final class LoadGenerator implements AutoCloseable {
    private static final byte[] HEADERS_END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String KEY_PLACE = "0000000000000000";
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(10);

    private final Selector selector = Selector.open();
    private final List<Request> requests;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final long keyBase = System.nanoTime();
    private long[] latenciesNs = new long[1 << 16];
    private int completed;
    private int sent;
    private int failed;
    private @Nullable String failure;

    /** The bytes of a request, and the position of its idempotency key, or -1. */
    record Request(byte[] bytes, int keyAt) {
        /** Parses a line: method, path, token and body, separated by tabs. */
        static Request parse(String line, int port) {
            var part = line.split("\t", -1);
            var body = part[3].getBytes(StandardCharsets.UTF_8);
            var head = part[0] + " " + part[1] + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nAuthorization: Bearer "
                    + part[2] + "\r\n";
            var keyAt = -1;
            if (body.length > 0) {
                head += "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\nIdempotency-Key: ";
                keyAt = head.length();
                head += KEY_PLACE + "\r\n";
            }
            var bytes = (head + "\r\n" + part[3]).getBytes(StandardCharsets.UTF_8);
            return new Request(bytes, keyAt);
        }
    }

    record Result(int completed, int failed, @Nullable String failure, double perSecond, long p50Us, long p99Us) {}

    private static final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer out = ByteBuffer.allocateDirect(16 << 10);
        private final ByteBuffer in = ByteBuffer.allocateDirect(64 << 10);
        private long dueNs;
        private int answerLength;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    LoadGenerator(int port, int connections, List<Request> requests) throws IOException {
        this.requests = requests;
        for (var i = 0; i < connections; i++) {
            var channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            var connection = new Connection(channel);
            var key = channel.register(selector, SelectionKey.OP_READ, connection);
            if (key.isValid()) {
                idle.add(connection);
            }
        }
    }

    /** Sends the given number of requests, for at most the given time; a rate of 0 sends as fast as responses arrive. */
    Result run(int count, double seconds, int perSecond) throws IOException {
        var started = System.nanoTime();
        var until = started + (long) (seconds * 1e9);
        var connections = idle.size();
        var gapNs = perSecond == 0 ? 0 : 1_000_000_000L / perSecond;
        var next = started;
        while (true) {
            var now = System.nanoTime();
            while (sent < count && now < until && !idle.isEmpty() && now >= next) {
                send(idle.removeFirst(), perSecond == 0 ? now : next);
                next = perSecond == 0 ? now : next + gapNs;
            }
            if ((now >= until || sent >= count) && idle.size() == connections) {
                break;
            }
            if (now >= until + GRACE_NS) {
                failed += connections - idle.size();
                failure = "no answer in time";
                break;
            }
            receive(perSecond == 0 || now >= until || sent >= count ? 100 : 1);
        }
        return result((System.nanoTime() - started) / 1e9);
    }

    private void send(Connection connection, long dueNs) throws IOException {
        var request = requests.get(sent % requests.size());
        var out = connection.out.clear().put(request.bytes);
        if (request.keyAt >= 0) {
            var key = Long.toHexString(keyBase + sent);
            for (var i = 0; i < key.length(); i++) {
                out.put(request.keyAt + KEY_PLACE.length() - key.length() + i, (byte) key.charAt(i));
            }
        }
        sent++;
        out.flip();
        connection.in.clear();
        connection.answerLength = 0;
        connection.dueNs = dueNs;
        while (out.hasRemaining()) {
            if (connection.channel.write(out) == 0) {
                Thread.onSpinWait(); // the server is slow to read: nothing else can be done meanwhile
            }
        }
    }

    private void receive(long waitMs) throws IOException {
        if (selector.select(waitMs) == 0) {
            return;
        }
        for (var key : selector.selectedKeys()) {
            var connection = (Connection) key.attachment();
            if (connection.channel.read(connection.in) < 0) {
                throw new IOException("the server closed a connection");
            }
            if (complete(connection)) {
                recordLatency(System.nanoTime() - connection.dueNs);
                requireSuccess(connection.in);
                idle.addLast(connection);
            }
        }
        selector.selectedKeys().clear();
    }

    private static boolean complete(Connection connection) {
        if (connection.answerLength == 0) {
            var end = headersEnd(connection.in);
            if (end < 0) {
                return false;
            }
            connection.answerLength = end + contentLength(connection.in, end);
        }
        return connection.in.position() >= connection.answerLength;
    }

    private static int headersEnd(ByteBuffer in) {
        for (var i = 12; i + 3 < in.position(); i++) {
            if (in.get(i) == HEADERS_END[0]
                    && in.get(i + 1) == HEADERS_END[1]
                    && in.get(i + 2) == HEADERS_END[2]
                    && in.get(i + 3) == HEADERS_END[3]) {
                return i + 4;
            }
        }
        return -1;
    }

    private static int contentLength(ByteBuffer in, int end) {
        var head = new byte[end];
        in.get(0, head);
        var text = new String(head, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        var at = text.indexOf("content-length:") + "content-length:".length();
        return Integer.parseInt(text.substring(at, text.indexOf('\r', at)).strip());
    }

    private void requireSuccess(ByteBuffer in) {
        if (in.get(9) != '2') {
            failed++;
            var bytes = new byte[Math.min(in.position(), 600)];
            in.get(0, bytes);
            failure = new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private void recordLatency(long latencyNs) {
        if (completed == latenciesNs.length) {
            latenciesNs = Arrays.copyOf(latenciesNs, latenciesNs.length * 2);
        }
        latenciesNs[completed++] = latencyNs;
    }

    private Result result(double tookSeconds) {
        var sorted = Arrays.copyOf(latenciesNs, completed);
        Arrays.sort(sorted);
        return new Result(
                completed,
                failed,
                failure,
                completed / tookSeconds,
                percentile(sorted, 50) / 1_000,
                percentile(sorted, 99) / 1_000);
    }

    static long percentile(long[] sorted, int percent) {
        return sorted.length == 0
                ? 0
                : sorted[(int) Math.min(sorted.length - 1L, (long) sorted.length * percent / 100)];
    }

    @Override
    public void close() throws IOException {
        for (var key : new ArrayList<>(selector.keys())) {
            key.channel().close();
        }
        selector.close();
    }
}
