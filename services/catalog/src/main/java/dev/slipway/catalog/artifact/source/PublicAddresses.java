package dev.slipway.catalog.artifact.source;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Recognizes public internet addresses, as opposed to those of private networks, hosts and metadata services. */
final class PublicAddresses {
    /** From IANA's registry of special-purpose addresses, and one that a cloud provider uses internally. */
    private static final String[] NOT_PUBLIC_V4 = {
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "168.63.129.16/32"
    };

    private PublicAddresses() {}

    static boolean contains(InetAddress address) {
        var bytes = address.getAddress();
        return address instanceof Inet4Address ? isPublic(bytes) : isPublicV6(bytes);
    }

    private static boolean isPublic(byte[] v4) {
        for (var prefix : NOT_PUBLIC_V4) {
            var slash = prefix.indexOf('/');
            if (startsWith(v4, literal(prefix.substring(0, slash)), Integer.parseInt(prefix.substring(slash + 1)))) {
                return false;
            }
        }
        return true;
    }

    /** Global unicast is 2000::/3, except for ranges that embed IPv4 addresses or are reserved for documentation. */
    private static boolean isPublicV6(byte[] v6) {
        return startsWith(v6, literal("2000::"), 3)
                && !startsWith(v6, literal("2001::"), 23)
                && !startsWith(v6, literal("2001:db8::"), 32)
                && !startsWith(v6, literal("2002::"), 16)
                && !startsWith(v6, literal("3fff::"), 20);
    }

    private static boolean startsWith(byte[] address, byte[] prefix, int bits) {
        for (var bit = 0; bit < bits; bit++) {
            var mask = 0x80 >> (bit % 8);
            if ((address[bit / 8] & mask) != (prefix[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }

    private static byte[] literal(String address) {
        try {
            return InetAddress.getByName(address).getAddress(); // a literal is not resolved
        } catch (UnknownHostException e) {
            throw new IllegalStateException(address, e);
        }
    }
}
