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

    /** Returns a free port. Another process can take it before the caller does. */
    static int findFree() {
        try (var socket = bind(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new EmbeddedException("no port of " + HOST + " could be bound", e);
        }
    }

    /** Throws an exception if the port is in use. Kafka would end the JVM instead. */
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
            socket.setReuseAddress(true); // ignores connections of a server that has just ended
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
