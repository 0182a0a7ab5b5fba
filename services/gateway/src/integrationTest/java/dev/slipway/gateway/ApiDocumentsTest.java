package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.Pattern;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class ApiDocumentsTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static GatewayUnderTest gateway;

    @BeforeAll
    static void start() {
        gateway = new GatewayUnderTest();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void openapi_isTheBundledContract_inBothFormats() throws Exception {
        var json = get("/openapi.json");
        var yaml = get("/openapi.yaml");

        assertThat(Json.parseInternal(json.body().getBytes(UTF_8)))
                .isEqualTo(Contract.load().document());
        assertThat(header(json, "Content-Type")).isEqualTo("application/json");
        assertThat(header(yaml, "Content-Type")).isEqualTo("application/yaml");
        assertThat(parseYaml(yaml.body()).path("paths").size())
                .isEqualTo(Contract.load().document().path("paths").size());
    }

    @Test
    void asyncapi_standsAlone() throws Exception {
        var document = parseYaml(get("/asyncapi.yaml").body());

        assertThat(document.path("asyncapi").asText()).isEqualTo("3.0.0");
        assertThat(document.findValuesAsText("$ref")).isNotEmpty().allSatisfy(ref -> {
            assertThat(ref).startsWith("#/");
            assertThat(document.at(ref.substring(1)).isMissingNode()).as(ref).isFalse();
        });
    }

    @Test
    void docs_loadsOnlyFilesOfThisGateway_underAStrictPolicy() throws Exception {
        var page = get("/docs");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(header(page, "Content-Type")).startsWith("text/html");
        assertThat(header(page, "Content-Security-Policy"))
                .startsWith("default-src 'none'")
                .contains("script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "http:", "https:", "*");
        var files = Pattern.compile("(?:src|href)=\"([^\"]+)\"")
                .matcher(page.body())
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(files).contains("/docs/swagger-ui-bundle.js").allSatisfy(file -> {
            assertThat(file).startsWith("/");
            assertThat(get(file).statusCode()).as(file).isEqualTo(200);
        });
        assertThat(page.body()).doesNotContain("<style", " style=", "onload=").doesNotContainPattern("<script>");
        assertThat(get("/docs/swagger-ui.css").body()).doesNotContainPattern("url\\(\"?https?:");
        assertThat(get("/docs/reference.js").body()).contains("validatorUrl: 'none'");
    }

    @Test
    void documents_areRevalidatedAndCompressed() throws Exception {
        for (var path : List.of("/openapi.json", "/openapi.yaml", "/asyncapi.yaml", "/docs/swagger-ui-bundle.js")) {
            var response = get(path);
            assertThat(header(response, "Cache-Control")).as(path).isEqualTo("public, no-cache");
            assertThat(get(path, "If-None-Match", header(response, "ETag")).statusCode())
                    .as(path)
                    .isEqualTo(304);
            assertThat(header(get(path, "Accept-Encoding", "gzip"), "Content-Encoding"))
                    .as(path)
                    .isEqualTo("gzip");
        }
    }

    @Test
    void documents_supportReadsOnly() throws Exception {
        assertThat(send("HEAD", "/openapi.json").statusCode()).isEqualTo(200);
        assertThat(header(send("OPTIONS", "/docs"), "Allow")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(send("POST", "/docs").statusCode()).isEqualTo(405);
        assertThat(get("/docs/nothing.js").statusCode()).isEqualTo(404);
    }

    private static JsonNode parseYaml(String text) {
        return new ObjectMapper().valueToTree(new Yaml().load(text));
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, headers);
    }

    private static HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(gateway.url(path))).method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
