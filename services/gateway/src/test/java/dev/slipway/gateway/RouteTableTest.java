package dev.slipway.gateway;

import dev.slipway.contract.Contract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;
import java.util.Objects;

import static org.assertj.core.api.Assertions.assertThat;

class RouteTableTest {
    private static final String LOG = "/api/v1/orgs/o/audit/log/";

    private final RouteTable routes = new RouteTable(Contract.load().operations());

    @ParameterizedTest
    @ValueSource(strings = {"0/000", "0/x001/234.p/5", "entries/x001/x234/067", "0%2F000"})
    void find_returnsTheRestOfThePath_whenTheLastParameterHasSeveralSegments(String tile) {
        var match = Objects.requireNonNull(routes.find("GET", LOG + "tile/" + tile));
        assertThat(match.operation()).isNotNull();
        assertThat(match.parameters()).isEqualTo(Map.of("org_id", "o", "tile", tile));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tile", "tile/", "tile//000", "tile/0/000/", "checkpoint/x", "other"})
    void find_returnsNothing_whenASegmentIsMissingOrEmpty(String path) {
        assertThat(routes.find("GET", LOG + path)).isNull();
    }

    @Test
    void find_returnsAllowedMethods_whenTheMethodIsAnother() {
        var match = Objects.requireNonNull(routes.find("DELETE", LOG + "tile/0/000"));
        assertThat(match.operation()).isNull();
        assertThat(match.allow()).isEqualTo("GET, HEAD, OPTIONS");
    }
}
