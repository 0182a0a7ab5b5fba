package dev.slipway.catalog.source;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How sources are reached.
 *
 * @param privateHosts host or host:port of those that may be at addresses which are not the internet's
 * @param plainHosts host or host:port of those that are spoken to without TLS
 * @param authorities files with the certificates of those whom sources' certificates must be by; none: those that Java trusts
 * @param deadline for everything that one reading takes, redirects and all
 * @param maxObjectBytes the largest object that is read to take its digest
 */
public record SourceSettings(
        Set<String> privateHosts,
        Set<String> plainHosts,
        List<String> authorities,
        Duration deadline,
        long maxObjectBytes) {
    public SourceSettings {
        privateHosts = Set.copyOf(privateHosts);
        plainHosts = Set.copyOf(plainHosts);
        authorities = List.copyOf(authorities);
    }

    /** With one more host, on this machine. */
    public SourceSettings withLocal(String host) {
        return new SourceSettings(
                with(privateHosts, host), with(plainHosts, host), authorities, deadline, maxObjectBytes);
    }

    boolean mayBePrivate(String host, int port) {
        return privateHosts.contains(host) || privateHosts.contains(host + ":" + port);
    }

    boolean isPlain(String host, int port) {
        return plainHosts.contains(host) || plainHosts.contains(host + ":" + port);
    }

    private static Set<String> with(Set<String> hosts, String host) {
        return Stream.concat(hosts.stream(), Stream.of(host)).collect(Collectors.toSet());
    }
}
