package dev.slipway.catalog.artifact.source;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.UnknownHostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SourceLocationTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "oci://user@registry.example.com/apps/echo",
                "oci://user:secret@registry.example.com/apps/echo",
                "oci://registry.example.com./apps/echo",
                "oci://registry.example.com/apps/Echo",
                "oci://registry.example.com/apps//echo",
                "oci://registry.example.com/apps/../echo",
                "oci://registry.example.com/apps/echo?digest=1",
                "oci://registry.example.com/apps/echo#1",
                "oci://registry.example.com/",
                "oci:///apps/echo",
                "oci://régistry.example.com/apps/echo",
                "oci://registry..example.com/apps/echo",
                "oci://-registry.example.com/apps/echo",
                "oci://[::1]/apps/echo",
                "https://registry.example.com/apps/echo",
                "file:///etc/passwd",
                "not an address"
            })
    void parse_rejectsInvalidRegistryAddress(String uri) {
        assertThatThrownBy(() -> SourceLocation.parse("oci", uri)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://user@objects.example.com/a",
                "https://objects.example.com/a?signature=s",
                "https://objects.example.com/../a",
                "https://objects.example.com/a/%2e%2E/b",
                "https://objects.example.com/a/./b",
                "https://objects.example.com/a b",
                "https://objects.example.com/a\\b",
                "https://objects.example.com",
                "oci://objects.example.com/a",
                "ftp://objects.example.com/a"
            })
    void parse_rejectsInvalidObjectAddress(String uri) {
        assertThatThrownBy(() -> SourceLocation.parse("https", uri)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void repository_isNormalized_regardlessOfHostSpelling() {
        assertThat(SourceLocation.parse("oci", "oci://Registry.Example.com:443/apps/echo")
                        .repository())
                .isEqualTo("registry.example.com/apps/echo");
        assertThat(SourceLocation.parse("oci", "oci://registry.example.com:5000/apps/echo")
                        .repository())
                .isEqualTo("registry.example.com:5000/apps/echo");
        assertThat(SourceLocation.parse("s3", "https://objects.example.com/Bucket/Key.tar.gz")
                        .repository())
                .isEqualTo("objects.example.com/Bucket/Key.tar.gz");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.8.8",
                "0.0.0.0",
                "10.1.2.3",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "169.254.169.254",
                "100.64.0.1",
                "100.100.100.200",
                "192.0.0.192",
                "198.18.0.1",
                "224.0.0.1",
                "239.255.255.255",
                "255.255.255.255",
                "168.63.129.16",
                "::1",
                "::",
                "fe80::1",
                "fc00::1",
                "fd00:ec2::254",
                "ff02::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
                "2001:db8::1",
                "2001::1",
                "::127.0.0.1"
            })
    void contains_isFalse_forNonPublicAddress(String address) throws UnknownHostException {
        assertThat(PublicAddresses.contains(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1"})
    void contains_isTrue_forPublicAddress(String address) throws UnknownHostException {
        assertThat(PublicAddresses.contains(InetAddress.getByName(address))).isTrue();
    }
}
