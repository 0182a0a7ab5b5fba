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
 * A network link to a server with faults: cut, connections are reset; stalled, nothing gets through and no error is reported. The
 * server itself keeps running for other tests.
 */
public final class FaultyLink implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    private static final int MAX_RESPONSE_LENGTH = 64 << 20;

    private enum State {
        WHOLE,
        CUT,
        STALLED
    }

    /** Copies one direction of a connection until its end. */
    private interface StreamCopier {
        void run(InputStream from, OutputStream to) throws IOException;
    }

    /** The address as given to clients; resolving it could change the host name. */
    private final String host;

    private final int port;
    private final ServerSocket listener;
    private final StreamCopier answers;
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

    /** Creates a link to a broker, given as host:port. */
    public static FaultyLink toKafka(String bootstrap) {
        var colon = bootstrap.lastIndexOf(':');
        return new FaultyLink(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)), true);
    }

    /** Creates a link to the server of a postgresql:// URL. */
    public static FaultyLink toDatabase(String url) {
        var uri = URI.create(url);
        return new FaultyLink(uri.getHost(), uri.getPort(), false);
    }

    /** Returns the address for clients, in place of the server's own. */
    public String through(String address) {
        return address.replace(host + ":" + port, "127.0.0.1:" + listener.getLocalPort());
    }

    /** Resets all connections, and every new one immediately. */
    public void cut() {
        setState(State.CUT);
        open.forEach(FaultyLink::disconnect);
    }

    /** Stops copying and leaves both sides waiting. */
    public void stall() {
        setState(State.STALLED);
    }

    public void heal() {
        setState(State.WHOLE);
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

    private void setState(State next) {
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
            awaitConnected();
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
            awaitConnected();
            to.write(buffer, 0, read);
        }
    }

    /** Replaces the broker's address in its responses, so that clients stay on this link. Lengths do not change. */
    private void copyFrames(InputStream from, OutputStream to) throws IOException {
        var input = new DataInputStream(from);
        var told = address(port);
        var instead = address(listener.getLocalPort());
        while (true) {
            var length = input.readInt();
            if (length < 0 || length > MAX_RESPONSE_LENGTH) {
                throw new IOException("not a frame of Kafka's: " + length + " bytes");
            }
            var frame = ByteBuffer.allocate(Integer.BYTES + length);
            frame.putInt(length);
            input.readFully(frame.array(), Integer.BYTES, length);
            replace(frame.array(), told, instead);
            awaitConnected();
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

    private void awaitConnected() throws IOException {
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

    private static void disconnect(Socket socket) {
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
