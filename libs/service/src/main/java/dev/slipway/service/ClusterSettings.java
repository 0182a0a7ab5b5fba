package dev.slipway.service;

import com.hazelcast.config.ClassFilter;
import com.hazelcast.config.Config;
import com.hazelcast.config.InterfacesConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Settings of the clustered event bus. Hazelcast maintains the membership and stores nothing that must not be lost. */
public record ClusterSettings(
        String name,
        String host,
        int port,
        List<String> members,
        @Nullable Tls tls) {

    /** PEM files for mutual TLS: every member presents its certificate and trusts those of the certificate authority. */
    public record Tls(String certificateFile, String keyFile, String authorityFile) {}

    /** Returns null without SLIPWAY_CLUSTER: the process is not clustered. */
    public static @Nullable ClusterSettings from(Settings settings) {
        var members = settings.list("SLIPWAY_CLUSTER", List.of());
        if (members.isEmpty()) {
            return null;
        }
        var certificate = settings.readableFile("SLIPWAY_CLUSTER_CERTIFICATE_FILE");
        var key = settings.readableFile("SLIPWAY_CLUSTER_KEY_FILE");
        var authority = settings.readableFile("SLIPWAY_CLUSTER_CA_FILE");
        Tls tls = null;
        if (certificate != null && key != null && authority != null) {
            tls = new Tls(certificate, key, authority);
        } else if (certificate != null || key != null || authority != null) {
            settings.addError(
                    "SLIPWAY_CLUSTER_CERTIFICATE_FILE, SLIPWAY_CLUSTER_KEY_FILE and SLIPWAY_CLUSTER_CA_FILE go together");
        }
        var host = settings.text("SLIPWAY_CLUSTER_HOST", "127.0.0.1");
        if (tls == null && !isLoopback(host)) {
            settings.addError("SLIPWAY_CLUSTER_HOST=" + host + " can be reached by others, and the event bus carries"
                    + " requests with their tokens: set SLIPWAY_CLUSTER_CERTIFICATE_FILE, SLIPWAY_CLUSTER_KEY_FILE and"
                    + " SLIPWAY_CLUSTER_CA_FILE for mutual TLS");
        }
        return new ClusterSettings(
                settings.text("SLIPWAY_CLUSTER_NAME", "slipway"),
                host,
                settings.port("SLIPWAY_CLUSTER_PORT", 5701),
                members,
                tls);
    }

    private static boolean isLoopback(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Starts a local Vert.x, or one that joins the cluster. */
    public static Future<Vertx> startVertx(
            Telemetry telemetry, @Nullable ClusterSettings cluster, VertxOptions options) {
        if (cluster == null) {
            return Future.succeededFuture(telemetry.vertx(options).build());
        }
        options.setEventBusOptions(cluster.eventBus());
        return telemetry
                .vertx(options)
                .withClusterManager(new HazelcastClusterManager(cluster.hazelcast()))
                .buildClustered();
    }

    private EventBusOptions eventBus() {
        var bus = new EventBusOptions().setHost(host).setClusterPublicHost(host);
        return tls == null
                ? bus
                : bus.setSsl(true)
                        .setClientAuth(ClientAuth.REQUIRED)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertPath(tls.certificateFile)
                                .setKeyPath(tls.keyFile))
                        .setTrustOptions(new PemTrustOptions().addCertPath(tls.authorityFile));
    }

    /**
     * Only the classes that Hazelcast and the cluster manager of Vert.x exchange are deserialized: a member could otherwise send objects that
     * run code of any class on the class path. Plain Java classes are needed for exceptions; those that open connections are not.
     */
    private static JavaSerializationFilterConfig serializationFilter() {
        var allowed = new ClassFilter()
                .addPrefixes(
                        "com.hazelcast.",
                        "io.vertx.spi.cluster.hazelcast.",
                        "java.lang.",
                        "java.util.",
                        "[" /* arrays; their elements are checked too */);
        var filter = new JavaSerializationFilterConfig();
        filter.setDefaultsDisabled(true);
        filter.setWhitelist(allowed);
        return filter;
    }

    private Config hazelcast() {
        // The map settings of Vert.x, then our network settings: no multicast, a fixed port, listed members.
        var config = io.vertx.spi.cluster.hazelcast.ConfigUtil.loadConfig();
        config.setClusterName(name);
        config.getSerializationConfig().setJavaSerializationFilterConfig(serializationFilter());
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
        config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
        // The default of 5 s only helps large clusters that start at once.
        config.setProperty("hazelcast.wait.seconds.before.join", "1");
        // Without this Hazelcast listens on every address of the machine.
        config.setProperty("hazelcast.socket.bind.any", "false");
        // Only the member protocol: no client, REST or memcache endpoint.
        var member = new ServerSocketEndpointConfig();
        member.setPort(port).setPortAutoIncrement(false).setPublicAddress(host + ":" + port);
        member.setInterfaces(new InterfacesConfig().setEnabled(true).addInterface(host));
        var network = config.getAdvancedNetworkConfig().setEnabled(true).setMemberEndpointConfig(member);
        var join = network.getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(members);
        return config;
    }
}
