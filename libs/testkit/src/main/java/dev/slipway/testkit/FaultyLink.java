package dev.slipway.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The line to a server, which can fail: cut, nobody is there; stalled, nothing comes through and nobody says so. The server itself goes
 * on, so that one test's outage is no other's.
 */
public final class FaultyLink implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    private static final int MAX_FRAME = 64 << 20;

    private enum State {
        WHOLE,
        CUT,
        STALLED
    }

    /** Copies one direction of a connection until its end. */
    private interface Copy {
        void run(InputStream from, OutputStream to) throws IOException;
    }

    /** As it is told to clients; an address object may find out another name for it in time. */
    private final String host;

    private final int port;
    private final ServerSocket listener;
    private final Copy answers;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Object change = new Object();
    private State state = State.WHOLE;

    private FaultyLink(String host, int port, boolean kafka) {
        this.host = host;
        this.port = port;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.answers = kafka ? this::copyFrames : this::copy;
        start("accept", this::accept);
    }

    /** To a broker, given as host:port. */
    public static FaultyLink toKafka(String bootstrap) {
        var colon = bootstrap.lastIndexOf(':');
        return new FaultyLink(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)), true);
    }

    /** To the server of a postgresql:// URL. */
    public static FaultyLink toDatabase(String url) {
        var uri = URI.create(url);
        return new FaultyLink(uri.getHost(), uri.getPort(), false);
    }

    /** The address to give to a client, in place of the server's own. */
    public String through(String address) {
        return address.replace(host + ":" + port, "127.0.0.1:" + listener.getLocalPort());
    }

    /** Breaks every connection, and every new one at once. */
    public void cut() {
        become(State.CUT);
        open.forEach(FaultyLink::breakOff);
    }

    /** Lets nothing through, and leaves both sides waiting. */
    public void stall() {
        become(State.STALLED);
    }

    public void heal() {
        become(State.WHOLE);
    }

    @Override
    public void close() {
        cut();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void become(State next) {
        synchronized (change) {
            state = next;
            change.notifyAll();
        }
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            var client = listener.accept();
            start("connect", () -> connect(client));
        }
    }

    private void connect(Socket client) throws IOException {
        open.add(client);
        var upstream = new Socket();
        open.add(upstream);
        try (client;
                upstream) {
            awaitWhole();
            upstream.connect(new InetSocketAddress(host, port));
            start("answers", () -> {
                try (client;
                        upstream) {
                    answers.run(upstream.getInputStream(), client.getOutputStream());
                }
            });
            copy(client.getInputStream(), upstream.getOutputStream());
        } finally {
            open.remove(client);
            open.remove(upstream);
        }
    }

    private void copy(InputStream from, OutputStream to) throws IOException {
        var buffer = new byte[BUFFER];
        for (var read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            awaitWhole();
            to.write(buffer, 0, read);
        }
    }

    /** A broker tells its clients where to find it; what it tells must lead through here too. The lengths stay as they are. */
    private void copyFrames(InputStream from, OutputStream to) throws IOException {
        var input = new DataInputStream(from);
        var told = address(port);
        var instead = address(listener.getLocalPort());
        while (true) {
            var length = input.readInt();
            if (length < 0 || length > MAX_FRAME) {
                throw new IOException("not a frame of Kafka's: " + length + " bytes");
            }
            var frame = ByteBuffer.allocate(Integer.BYTES + length);
            frame.putInt(length);
            input.readFully(frame.array(), Integer.BYTES, length);
            replace(frame.array(), told, instead);
            awaitWhole();
            to.write(frame.array());
        }
    }

    private byte[] address(int at) {
        var name = host.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(name.length + Integer.BYTES)
                .put(name)
                .putInt(at)
                .array();
    }

    private static void replace(byte[] frame, byte[] told, byte[] instead) {
        for (var at = 0; at + told.length <= frame.length; at++) {
            if (java.util.Arrays.equals(frame, at, at + told.length, told, 0, told.length)) {
                System.arraycopy(instead, 0, frame, at, instead.length);
            }
        }
    }

    private void awaitWhole() throws IOException {
        synchronized (change) {
            while (state == State.STALLED) {
                try {
                    change.wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            if (state == State.CUT) {
                throw new IOException("the line is cut");
            }
        }
    }

    private static void breakOff(Socket socket) {
        try {
            socket.setSoLinger(true, 0); // a reset, not a polite end
            socket.close();
        } catch (IOException e) {
            // It is broken already.
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(String name, Work work) {
        var thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // A connection's end.
                    }
                },
                "faulty-link-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
