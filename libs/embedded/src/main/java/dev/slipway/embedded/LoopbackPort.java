package dev.slipway.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/** Finds and checks ports of 127.0.0.1, the only address that embedded servers listen on. */
final class LoopbackPort {
    static final String HOST = "127.0.0.1";

    private LoopbackPort() {}

    /** A free port, free no longer if another process is quicker: whoever binds it has to cope. */
    static int free() {
        try (var socket = bind(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new EmbeddedException("no port of " + HOST + " could be bound", e);
        }
    }

    /** Asked beforehand because a broker that fails to bind takes the JVM down with it. */
    static void requireFree(int port) {
        try (var socket = bind(port)) {
            socket.getLocalPort();
        } catch (IOException e) {
            throw new PortInUseException(port);
        }
    }

    private static ServerSocket bind(int port) throws IOException {
        var socket = new ServerSocket();
        try {
            socket.setReuseAddress(true); // connections of a server that just ended do not hold its port
            socket.bind(new InetSocketAddress(loopback(), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static InetAddress loopback() throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
