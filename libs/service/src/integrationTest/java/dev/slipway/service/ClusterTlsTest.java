package dev.slipway.service;

import dev.slipway.service.ClusterSettings.Tls;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Members of the event bus authenticate each other with certificates. */
class ClusterTlsTest {
    @TempDir
    private Path directory;

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final List<Vertx> members = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        var closed = await(Future.join(members.stream().map(Vertx::close).toList()));
        assertThat(closed.succeeded()).isTrue();
        telemetry.close();
    }

    @Test
    void bus_connectsOnlyMembersThatTrustEachOther() throws Exception {
        var one = TestCertificate.in(directory.resolve("one"), "127.0.0.1");
        var two = TestCertificate.in(directory.resolve("two"), "127.0.0.1");
        var stranger = TestCertificate.in(directory.resolve("stranger"), "127.0.0.1");
        var trusted = bundle("ca.crt", one, two);
        var everyone = bundle("all.crt", one, two, stranger);
        var ports = FreePorts.find(3);
        var joined =
                List.of(join(ports, 0, one, trusted), join(ports, 1, two, trusted), join(ports, 2, stranger, everyone));
        for (var member : joined) {
            members.add(await(member));
        }
        var first = members.get(0);
        var second = members.get(1);
        var third = members.get(2);
        await(first.eventBus()
                .consumer("greet", message -> message.reply("hello " + message.body()))
                .completion());
        var patience = new DeliveryOptions().setSendTimeout(2_000);

        eventually(() -> assertThat(await(second.eventBus().request("greet", "two", patience))
                        .body())
                .isEqualTo("hello two"));
        assertThatThrownBy(() -> await(third.eventBus().request("greet", "stranger", patience)))
                .isInstanceOf(Exception.class);
        assertForMembersOnly(ports.get(0));
    }

    /** The member port listens on one address and speaks only the member protocol: no clients, REST or memcache. */
    private static void assertForMembersOnly(int port) throws Exception {
        assertThatThrownBy(() -> new Socket(loopback(2), port)).isInstanceOf(ConnectException.class);
        for (var protocol : List.of("CP2", "GET /hazelcast/health HTTP/1.1\r\n\r\n", "version\r\n")) {
            try (var socket = new Socket(loopback(1), port)) {
                socket.setSoTimeout(30_000);
                socket.getOutputStream().write(protocol.getBytes(StandardCharsets.US_ASCII));
                assertThat(answer(socket)).as(protocol).isIn("", "HZX"); // "unexpected protocol"
            }
        }
    }

    /** Reads until the connection is closed or reset. Fails if it stays open. */
    private static String answer(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (SocketException cut) {
            return "";
        }
    }

    private static InetAddress loopback(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private Path bundle(String name, TestCertificate... trusted) throws IOException {
        var file = directory.resolve(name);
        for (var each : trusted) {
            Files.writeString(
                    file,
                    Files.readString(each.certificateFile()),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        return file;
    }

    private Future<Vertx> join(List<Integer> ports, int number, TestCertificate own, Path authority) {
        var tls = new Tls(own.certificateFile().toString(), own.keyFile().toString(), authority.toString());
        var settings = new ClusterSettings(
                "tls-" + ports.get(0),
                "127.0.0.1",
                ports.get(number),
                ports.stream().map(port -> "127.0.0.1:" + port).toList(),
                tls);
        return ClusterSettings.startVertx(telemetry, settings, new VertxOptions().setEventLoopPoolSize(1));
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
