package dev.slipway.catalog.artifact.source;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings for the access to sources.
 *
 * @param privateHosts hosts, as host or host:port, that may have non-public addresses
 * @param plainHosts hosts, as host or host:port, that are accessed without TLS
 * @param caFiles files with the certificate authorities of sources; empty means those of the JVM
 * @param deadline for reading a source once, including redirects
 * @param maxObjectBytes the maximum size of an object
 */
public record SourceSettings(
        Set<String> privateHosts,
        Set<String> plainHosts,
        List<String> caFiles,
        Duration deadline,
        long maxObjectBytes) {
    public SourceSettings {
        privateHosts = Set.copyOf(privateHosts);
        plainHosts = Set.copyOf(plainHosts);
        caFiles = List.copyOf(caFiles);
    }

    /** Adds a host on this machine, which is private and has no TLS. */
    public SourceSettings withLocalHost(String host) {
        return new SourceSettings(plus(privateHosts, host), plus(plainHosts, host), caFiles, deadline, maxObjectBytes);
    }

    boolean isPrivateAllowed(String host, int port) {
        return privateHosts.contains(host) || privateHosts.contains(host + ":" + port);
    }

    boolean isPlain(String host, int port) {
        return plainHosts.contains(host) || plainHosts.contains(host + ":" + port);
    }

    private static Set<String> plus(Set<String> hosts, String host) {
        return Stream.concat(hosts.stream(), Stream.of(host)).collect(Collectors.toSet());
    }
}
