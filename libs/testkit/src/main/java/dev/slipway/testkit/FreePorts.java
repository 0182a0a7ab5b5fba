package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Finds free ports for programs that need each other's ports before they start. */
public final class FreePorts {
    private FreePorts() {}

    public static List<Integer> find(int count) {
        var sockets = new ArrayList<ServerSocket>();
        try {
            for (var i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            var found = sockets.stream().map(ServerSocket::getLocalPort).toList();
            for (var socket : sockets) {
                socket.close();
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
