package dev.slipway.audit.correlation;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import static org.assertj.core.api.Assertions.assertThat;

class TriageLinksTest {
    private static final Instant FROM = Instant.parse("2026-11-17T10:00:00Z");
    private static final Instant TO = Instant.parse("2026-11-17T10:01:00Z");
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void links_leadToTempoLokiAndDashboard() {
        var links = new TriageLinks("https://grafana.test", "tempo-1", "loki-1", "{app=\"slipway\"}")
                .create("c-1", List.of(TRACE), FROM, TO);

        assertThat(links.traceql()).isEqualTo("{ span.correlation_id = \"c-1\" }");
        assertThat(links.logql()).isEqualTo("{app=\"slipway\"} |= \"c-1\"");
        assertThat(query(links.tempo())).isEqualTo("tempo-1 traceql " + links.traceql());
        assertThat(query(links.loki())).isEqualTo("loki-1 range " + links.logql());
        assertThat(links.traces()).singleElement().satisfies(link -> {
            assertThat(link.traceId()).isEqualTo(TRACE);
            assertThat(query(link.url())).isEqualTo("tempo-1 traceql " + TRACE);
        });
        assertThat(links.grafana())
                .startsWith("https://grafana.test/d/slipway-correlation?var-correlation_id=c-1&from="
                        + FROM.minusSeconds(300).toEpochMilli());
    }

    @Test
    void links_areQueriesOnly_withoutGrafana() {
        var links =
                new TriageLinks(null, "tempo", "loki", "{app=\"slipway\"}").create("c-1", List.of(TRACE), null, null);

        assertThat(links.tempo()).isNull();
        assertThat(links.loki()).isNull();
        assertThat(links.grafana()).isNull();
        assertThat(links.traces()).containsExactly(new TriageLinks.TraceLink(TRACE, null));
        assertThat(links.logql()).isNotEmpty();
    }

    private static String query(String url) {
        var panes = URI.create(Objects.requireNonNull(url)).getRawQuery().split("panes=", 2)[1];
        var query = Json.parseStoredObject(URLDecoder.decode(panes, StandardCharsets.UTF_8))
                .at("/a/queries/0");
        return query.at("/datasource/uid").asText() + " "
                + query.path("queryType").asText() + " " + query.path("expr").asText();
    }
}
