package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ApiOperation;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import static dev.slipway.standalone.ContractRequests.CONTRACT;
import static dev.slipway.standalone.ContractRequests.NOWHERE;
import static dev.slipway.standalone.ContractRequests.bodySchema;
import static dev.slipway.standalone.ContractRequests.encode;
import static dev.slipway.standalone.ContractRequests.parameters;
import static dev.slipway.standalone.ContractRequests.permittedUser;
import static dev.slipway.standalone.ContractRequests.resolve;
import static dev.slipway.standalone.ContractRequests.validValues;

/**
 * Generates requests of every operation and admin variant from the contract, and mutates most of them. A seed and an index determine a
 * request, except for the ids of resources that earlier requests created. Faults of the HTTP framing are not generated.
 */
final class RequestFuzzer {
    private static final List<ApiOperation> ALL = CONTRACT.operations();
    private static final int MAX_CREATED = 20;

    /** Last segments of operations that end the use of a resource. The demo's resources are spared, so that later requests find them. */
    private static final Set<String> ENDING = Set.of("disable", "retire", "revoke", "deprecate", "force-delete");

    /** Revokes its own token; the requests of the others get past authentication to the end. */
    private static final String SPARE_USER = "other_tenant_owner";

    /** Sent as they are: most are not valid in a URL. */
    private static final List<String> RAW_TEXTS = List.of(
            "%",
            "%2",
            "%zz",
            "%00",
            "%0a",
            "%2f",
            "%2e%2e",
            "%c0%80",
            "%ff",
            "%u0041",
            "%ED%A0%80",
            "+",
            "",
            ".",
            "..",
            ";a=b",
            "a//b",
            "\u00e9",
            "\u00ff",
            "\u0001",
            "\u007f",
            "\\",
            "{id}",
            "[0]",
            "|",
            "^",
            "\"",
            "<x>",
            "#",
            "&",
            "=");

    private static final Map<String, List<String>> ODD_HEADERS = Map.ofEntries(
            Map.entry(
                    "X-Correlation-ID", List.of("", "a b", "x".repeat(129), "ok-1", "\u00e9", "a,b", "${x}", "\u0001")),
            Map.entry("X-Request-Id", List.of("", "r-1", "x".repeat(5_000))),
            Map.entry("X-Project-ID", List.of("", "nope", NOWHERE.toString(), DemoData.OTHER_PROJECT.toString())),
            Map.entry("X-Revision", List.of("", "0", "1", "-1", "abc", "1e9", "99999999999999999999")),
            Map.entry("If-Match", List.of("*", "\"\"", "W/\"1\"", "\"x", ",", "\"1\",\"2\"", "x".repeat(3_000))),
            Map.entry("If-None-Match", List.of("*", "\"\"", "W/", "\"1\", \"2\"", "\u00ff")),
            Map.entry("Idempotency-Key", List.of("", "k", "x".repeat(129), "a b", "\u00e9", "\u007f")),
            Map.entry("Accept", List.of("", "*/*", "text/html", "application/json;q=x", ",,,", "text/event-stream")),
            Map.entry("Accept-Encoding", List.of("gzip", "br;q=1, *;q=0", "x")),
            Map.entry("Content-Encoding", List.of("gzip", "identity", "x")),
            Map.entry(
                    "traceparent",
                    List.of("", "00-0-0-0", "00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01", "ff")),
            Map.entry("tracestate", List.of("=", "a=b,c", "x".repeat(2_000))),
            Map.entry("baggage", List.of("correlation_id=other", "=", "a=%zz", "correlation_id=%00", ";;;")),
            Map.entry("Cookie", List.of("a", "=;=", "a=\"")),
            Map.entry("Origin", List.of("null", "https://example.com", "\u00ff")),
            Map.entry("Range", List.of("bytes=0-1", "x")),
            Map.entry("X-Forwarded-For", List.of("127.0.0.1", "x, y", "")),
            Map.entry("X-HTTP-Method-Override", List.of("DELETE", "")),
            Map.entry("Last-Event-ID", List.of("", "0", "-1", "9".repeat(18), "9".repeat(30))),
            Map.entry("X-Unknown", List.of("x".repeat(7_000))));

    /** In a fixed order; that of the map differs between JVMs. */
    private static final List<String> ODD_HEADER_NAMES =
            ODD_HEADERS.keySet().stream().sorted().toList();

    private static final List<String> CONTENT_TYPES = List.of(
            "",
            "text/plain",
            "application/json; charset=utf-16",
            "application/json;charset=\"",
            "application/JSON",
            "a/b/c",
            "multipart/form-data; boundary=x",
            "application/merge-patch+json");

    /** The part of a request that is mutated: some requests are left valid, and most have one fault, so that they get past other checks. */
    private enum Part {
        TOKEN,
        PATH,
        QUERY,
        HEADER,
        BODY,
        BODY_BYTES
    }

    private static final List<Part> PARTS = List.of(Part.values());

    private final long seed;
    private final Map<String, String> tokens;
    private final Map<String, String> validValues;
    private final Map<String, List<String>> created = new ConcurrentHashMap<>();

    /** A request, ready to be sent; {@code pathIsValid} is false if another operation may answer it. */
    record FuzzedRequest(int index, ApiOperation apiOperation, byte[] bytes, boolean pathIsValid) {
        @Override
        public String toString() {
            var text = new String(bytes, StandardCharsets.ISO_8859_1)
                    .replaceAll("(?m)^Authorization: .*$", "Authorization: (token)");
            return "request " + index + " (" + apiOperation.id() + "):\n"
                    + (text.length() > 2_000 ? text.substring(0, 2_000) + "…" : text);
        }
    }

    RequestFuzzer(long seed, Map<String, String> tokens, String instanceId) {
        this.seed = seed;
        this.tokens = new LinkedHashMap<>(tokens);
        this.validValues = validValues(instanceId);
    }

    /** Makes the id of a created resource available to later requests. */
    void addCreated(ApiOperation apiOperation, JsonNode body) {
        var prefix = apiOperation.path() + "/{";
        ALL.stream()
                .map(ApiOperation::path)
                .filter(path -> apiOperation.method().equals("POST") && path.startsWith(prefix))
                .map(path -> path.substring(prefix.length(), path.indexOf('}', prefix.length())))
                .findFirst()
                .ifPresent(name -> {
                    var field = body.has(name) ? name : name.substring(name.lastIndexOf('_') + 1);
                    var id = body.path(field).asText();
                    var ids = created.computeIfAbsent(name, any -> new CopyOnWriteArrayList<>());
                    if (!id.isEmpty()) {
                        ids.add(id);
                    }
                    if (ids.size() > MAX_CREATED) {
                        ids.remove(0);
                    }
                });
    }

    FuzzedRequest request(int index) {
        var random = new Random(seed * 1_000_003 + index);
        var apiOperation = ALL.get(index % ALL.size());
        return new Builder(index, random, apiOperation).build();
    }

    private final class Builder {
        private final int index;
        private final Random random;
        private final ApiOperation apiOperation;
        private final JsonFuzzer json;
        private final Set<Part> mutated;
        private final Map<String, String> headers = new HashMap<>();
        private final List<String> query = new ArrayList<>();
        private String path;
        private boolean pathIsValid = true;

        Builder(int index, Random random, ApiOperation apiOperation) {
            this.index = index;
            this.random = random;
            this.apiOperation = apiOperation;
            this.json = new JsonFuzzer(random, validValues);
            this.path = apiOperation.path();
            this.mutated = mutatedParts(random, apiOperation);
        }

        private static Set<Part> mutatedParts(Random random, ApiOperation apiOperation) {
            var parts = EnumSet.noneOf(Part.class);
            for (var i = random.nextInt(4); i > 1; i--) {
                parts.add(PARTS.get(random.nextInt(PARTS.size())));
            }
            if (apiOperation.hasBody() && random.nextBoolean()) {
                parts.add(Part.BODY);
            }
            return parts;
        }

        FuzzedRequest build() {
            addToken();
            parameters(apiOperation).forEach(this::addParameter);
            if (isMutated(Part.QUERY)) {
                query.add(json.pick(RAW_TEXTS) + "=" + json.pick(RAW_TEXTS));
            }
            if (isMutated(Part.HEADER)) {
                var name = json.pick(ODD_HEADER_NAMES);
                headers.put(name, json.pick(ODD_HEADERS.get(name)));
            }
            var hasBody = apiOperation.hasBody() != (isMutated(Part.BODY_BYTES) && isOneIn(10));
            return new FuzzedRequest(index, apiOperation, bytes(hasBody ? body() : new byte[0]), pathIsValid);
        }

        private void addToken() {
            var user = isOneIn(5) ? json.pick(List.copyOf(tokens.keySet())) : permittedUser(apiOperation);
            if (apiOperation.id().equals("revokeOwnToken")) {
                user = SPARE_USER;
            }
            var token = tokens.get(user);
            if (!isMutated(Part.TOKEN)) {
                headers.put("Authorization", "Bearer " + token);
                return;
            }
            switch (random.nextInt(4)) {
                case 0 -> headers.put("Authorization", "Bearer " + token + json.pick(List.of("A", "=", ".", "\u00e9")));
                case 1 -> headers.put("Authorization", "Bearer " + token.substring(random.nextInt(token.length())));
                case 2 ->
                    headers.put(
                            "Authorization",
                            json.pick(List.of("", "Bearer", "Basic YTpi", "bearer  " + token, "Bearer a.b.c")));
                default -> {}
            }
        }

        private void addParameter(JsonNode parameter) {
            var name = parameter.path("name").asText();
            var schema = parameter.path("schema");
            switch (parameter.path("in").asText()) {
                case "path" -> path = path.replace("{" + name + "}", pathValue(name, schema));
                case "query" -> addQueryParameter(name, schema);
                default -> addHeader(name, schema, parameter.path("required").asBoolean());
            }
        }

        private String pathValue(String name, JsonNode schema) {
            if (isMutated(Part.PATH) && isOneIn(2)) {
                pathIsValid = false;
                return oddText();
            }
            var ids = List.copyOf(created.getOrDefault(name, List.of()));
            if (endsUseOf(name)) {
                return ids.isEmpty() ? unknown(schema) : encode(json.pick(ids));
            }
            return encode(ids.isEmpty() || isOneIn(2) ? json.generateText(name, schema) : json.pick(ids));
        }

        private boolean endsUseOf(String name) {
            var template = apiOperation.path();
            var last = template.substring(template.lastIndexOf('/') + 1);
            return (apiOperation.isDelete() || ENDING.contains(last))
                    && template.lastIndexOf('{') == template.indexOf("{" + name + "}");
        }

        private String unknown(JsonNode schema) {
            return resolve(schema).path("format").asText().equals("uuid") ? NOWHERE.toString() : "unknown.name";
        }

        private void addQueryParameter(String name, JsonNode schema) {
            if (isMutated(Part.QUERY)) {
                query.add(name + "=" + oddText());
                query.add(name + "=1");
            } else if (isOneIn(4) && !name.equals("cursor")) {
                query.add(name + "=" + encode(json.generateText(name, schema)));
            }
            Collections.shuffle(query, random);
            while (query.size() > 3) {
                query.remove(0);
            }
        }

        private void addHeader(String name, JsonNode schema, boolean required) {
            if (required || isOneIn(3)) {
                headers.put(name, name.equals("Idempotency-Key") ? "key-" + index : json.generateText(name, schema));
            }
        }

        /** Returns the text of a path or query value, encoded or as it must not be sent. */
        private String oddText() {
            return isOneIn(2) ? json.pick(RAW_TEXTS) : encode(json.pick(JsonFuzzer.TEXTS));
        }

        private byte[] body() {
            var isMutated = isMutated(Part.BODY_BYTES);
            headers.put("Content-Type", isMutated && isOneIn(4) ? json.pick(CONTENT_TYPES) : "application/json");
            var tree = json.generate("body", bodySchema(apiOperation), 0);
            if (isMutated(Part.BODY)) {
                json.mutate(tree);
            }
            return isMutated ? json.writeMalformed(tree) : json.write(tree);
        }

        private byte[] bytes(byte[] body) {
            var text = new StringBuilder(apiOperation.method()).append(' ').append(path);
            text.append(query.isEmpty() ? "" : "?" + String.join("&", query));
            text.append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
            headers.forEach((name, value) ->
                    text.append(name).append(": ").append(value).append("\r\n"));
            if (body.length > 0 || apiOperation.hasBody()) {
                text.append("Content-Length: ").append(body.length).append("\r\n");
            }
            var bytes = new ByteArrayOutputStream();
            bytes.writeBytes(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            bytes.writeBytes(body);
            return bytes.toByteArray();
        }

        private boolean isMutated(Part part) {
            return mutated.contains(part);
        }

        private boolean isOneIn(int count) {
            return random.nextInt(count) == 0;
        }
    }
}
