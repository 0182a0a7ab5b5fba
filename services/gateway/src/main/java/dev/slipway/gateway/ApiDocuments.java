package dev.slipway.gateway;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The published contract documents and the API reference at {@code /docs}, which renders them with Swagger UI. All files are served from
 * the class path; the page loads nothing from other hosts.
 */
final class ApiDocuments {
    private static final String WEBJAR = "META-INF/resources/webjars/swagger-ui/";
    private static final String WEBJAR_PROPERTIES = "META-INF/maven/org.webjars/swagger-ui/pom.properties";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String JAVASCRIPT = "text/javascript; charset=utf-8";
    private static final String CSS = "text/css; charset=utf-8";
    private static final String YAML = "application/yaml";

    /** Swagger UI sets no inline styles in markup and needs no eval; its icons are data URLs in the style sheet. */
    private static final Map<String, String> PAGE_HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Referrer-Policy",
            "no-referrer");

    private final List<StaticDocument> documents;

    ApiDocuments(Vertx vertx) {
        var swaggerUi = WEBJAR + swaggerUiVersion() + "/";
        this.documents = List.of(
                new StaticDocument(vertx, "/openapi.json", "slipway/openapi.json", "application/json", Map.of()),
                new StaticDocument(vertx, "/openapi.yaml", "slipway/openapi.yaml", YAML, Map.of()),
                new StaticDocument(vertx, "/asyncapi.yaml", "slipway/asyncapi.yaml", YAML, Map.of()),
                new StaticDocument(vertx, "/docs", "docs/index.html", HTML, PAGE_HEADERS),
                new StaticDocument(vertx, "/docs/reference.js", "docs/reference.js", JAVASCRIPT, PAGE_HEADERS),
                new StaticDocument(vertx, "/docs/reference.css", "docs/reference.css", CSS, PAGE_HEADERS),
                new StaticDocument(
                        vertx,
                        "/docs/swagger-ui-bundle.js",
                        swaggerUi + "swagger-ui-bundle.js",
                        JAVASCRIPT,
                        PAGE_HEADERS),
                new StaticDocument(vertx, "/docs/swagger-ui.css", swaggerUi + "swagger-ui.css", CSS, PAGE_HEADERS),
                new StaticDocument(
                        vertx, "/docs/favicon.png", swaggerUi + "favicon-32x32.png", "image/png", PAGE_HEADERS));
    }

    void mount(Router router) {
        documents.forEach(document ->
                router.route(document.path()).useNormalizedPath(false).handler(document));
    }

    private static String swaggerUiVersion() {
        var properties = new Properties();
        try (var in = StaticDocument.open(WEBJAR_PROPERTIES)) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }
}
