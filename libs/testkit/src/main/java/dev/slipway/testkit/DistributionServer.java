package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.PemKeyCertOptions;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A minimal in-memory registry for tests: pushes and pulls of the OCI distribution API, tags, referrers, and token authentication by
 * certificate. It also serves plain objects and injected faults.
 */
public final class DistributionServer implements AutoCloseable {
    private static final Pattern PATH = Pattern.compile("/v2/(.+)/(manifests|blobs|referrers|tags)/(.+)");
    private static final String JSON = "application/json";

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final Map<String, StoredContent> manifests = new ConcurrentHashMap<>();
    private final Map<String, StoredContent> blobs = new ConcurrentHashMap<>();
    private final Map<String, Buffer> uploads = new ConcurrentHashMap<>();
    private final Map<String, FaultHandler> misbehaviours = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile @Nullable TokenRules tokens;

    private record StoredContent(@Nullable String mediaType, Buffer bytes) {}

    /** Accepts the tokens of the issuer for the service, signed with the certificate's key. */
    public record TokenRules(String issuer, String service, X509Certificate certificate, Clock clock) {}

    /** A fault that replaces the response to paths that match the pattern. */
    private interface FaultHandler {
        void answer(HttpServerRequest request);
    }

    public DistributionServer() {
        this(new HttpServerOptions());
    }

    /** Starts the server with TLS. */
    public DistributionServer(TestCertificate certificate) {
        this(new HttpServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addKeyPath(certificate.keyFile().toString())
                        .addCertPath(certificate.certificateFile().toString())));
    }

    private DistributionServer(HttpServerOptions options) {
        server = await(vertx.createHttpServer(options.setHost("127.0.0.1").setPort(0))
                .requestHandler(this::handle)
                .listen());
    }

    public int port() {
        return server.actualPort();
    }

    /** Returns host and port, as image names start with. */
    public String host() {
        return "127.0.0.1:" + server.actualPort();
    }

    public String url() {
        return "http://" + host();
    }

    /** Requires a token from now on. */
    public void requireTokens(TokenRules rules) {
        tokens = rules;
    }

    /** Serves an object at a path outside of the registry. */
    public void putObject(String path, byte[] bytes) {
        faultFor(path, request -> request.response()
                .putHeader("Content-Type", "application/octet-stream")
                .end(Buffer.buffer(bytes)));
    }

    /** Serves wrong bytes at the path. */
    public void serveWrongContent(String path, byte[] bytes) {
        putObject(path, bytes);
    }

    public void redirect(String path, String location) {
        faultFor(path, request -> request.response()
                .setStatusCode(307)
                .putHeader("Location", location)
                .end());
    }

    /** Sends bytes without end. */
    public void serveEndlessContent(String path) {
        var chunk = Buffer.buffer(new byte[64 << 10]);
        faultFor(path, request -> {
            var response = request.response().setChunked(true);
            send(response, chunk);
        });
    }

    /** Sends a few bytes and then nothing. */
    public void stall(String path) {
        faultFor(path, request -> request.response().setChunked(true).write(Buffer.buffer("a little")));
    }

    public void failWith(String path, int status) {
        faultFor(path, request -> request.response().setStatusCode(status).end());
    }

    /** Challenges the first request to the path. */
    public void challengeOnce(String path, String challenge) {
        faultFor(path, request -> {
            misbehaviours.remove(path);
            request.response().putHeader("WWW-Authenticate", challenge);
            reject(request, 401, "UNAUTHORIZED");
        });
    }

    /** Returns the method and path of every request. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** Removes all faults and objects. */
    public void clearFaults() {
        misbehaviours.clear();
        requests.clear();
    }

    private void faultFor(String path, FaultHandler faultHandler) {
        misbehaviours.put(path, faultHandler);
    }

    private static void send(HttpServerResponse response, Buffer chunk) {
        if (!response.closed() && !response.ended()) {
            response.write(chunk).onSuccess(written -> send(response, chunk));
        }
    }

    private void handle(HttpServerRequest request) {
        requests.add(request.method() + " " + request.path());
        var faultHandler = misbehaviours.get(request.path());
        if (faultHandler != null) {
            faultHandler.answer(request);
        } else if (!request.path().startsWith("/v2/")) {
            reject(request, 404, "NOT_FOUND");
        } else if (!isAllowed(request)) {
            challenge(request);
        } else if (request.path().equals("/v2/")) {
            request.response().end("{}");
        } else {
            request.body().onSuccess(body -> serve(request, body));
        }
    }

    private void serve(HttpServerRequest request, Buffer body) {
        var matcher = PATH.matcher(request.path());
        if (!matcher.matches()) {
            reject(request, 404, "NAME_UNKNOWN");
            return;
        }
        var name = matcher.group(1);
        var reference = matcher.group(3);
        switch (matcher.group(2)) {
            case "manifests" -> manifest(request, name, reference, body);
            case "blobs" -> blob(request, name, reference, body);
            case "referrers" -> referrers(request, name, reference);
            default -> tags(request, name);
        }
    }

    private void manifest(HttpServerRequest request, String name, String reference, Buffer body) {
        if (request.method().equals(HttpMethod.PUT)) {
            var digest = digest(body);
            if (reference.startsWith("sha256:") && !reference.equals(digest)) {
                reject(request, 400, "DIGEST_INVALID");
                return;
            }
            var storedContent = new StoredContent(request.getHeader("Content-Type"), body);
            manifests.put(name + "@" + reference, storedContent);
            manifests.put(name + "@" + digest, storedContent);
            request.response()
                    .setStatusCode(201)
                    .putHeader("Docker-Content-Digest", digest)
                    .end();
        } else {
            answer(request, manifests.get(name + "@" + reference), "MANIFEST_UNKNOWN");
        }
    }

    private void blob(HttpServerRequest request, String name, String reference, Buffer body) {
        if (!reference.startsWith("uploads/")) {
            answer(request, blobs.get(name + "@" + reference), "BLOB_UNKNOWN");
            return;
        }
        var id = reference.substring("uploads/".length());
        if (request.method().equals(HttpMethod.POST)) {
            id = UUID.randomUUID().toString();
            uploads.put(id, Buffer.buffer());
            upload(request, name, id, 202);
        } else if (!uploads.containsKey(id)) {
            reject(request, 404, "BLOB_UPLOAD_UNKNOWN");
        } else if (request.method().equals(HttpMethod.PATCH)) {
            uploads.computeIfPresent(id, (same, sent) -> sent.appendBuffer(body));
            upload(request, name, id, 202);
        } else {
            finish(request, name, id, body);
        }
    }

    private void finish(HttpServerRequest request, String name, String id, Buffer body) {
        var all = uploads.getOrDefault(id, Buffer.buffer()).copy().appendBuffer(body);
        var digest = request.getParam("digest");
        if (!digest(all).equals(digest)) {
            reject(request, 400, "DIGEST_INVALID");
            return;
        }
        uploads.remove(id);
        blobs.put(name + "@" + digest, new StoredContent("application/octet-stream", all));
        request.response()
                .setStatusCode(201)
                .putHeader("Docker-Content-Digest", digest)
                .end();
    }

    private static void upload(HttpServerRequest request, String name, String id, int status) {
        request.response()
                .setStatusCode(status)
                .putHeader("Location", "/v2/" + name + "/blobs/uploads/" + id)
                .end();
    }

    private void referrers(HttpServerRequest request, String name, String digest) {
        var index = Json.object().put("schemaVersion", 2).put("mediaType", "application/vnd.oci.image.index.v1+json");
        var found = index.putArray("manifests");
        manifests.forEach((key, storedContent) -> {
            if (!key.startsWith(name + "@sha256:")) {
                return;
            }
            var manifest = Json.parseTrusted(storedContent.bytes.getBytes());
            if (manifest.path("subject").path("digest").asText().equals(digest)) {
                found.addObject()
                        .put("mediaType", storedContent.mediaType)
                        .put("digest", key.substring(name.length() + 1))
                        .put("size", storedContent.bytes.length())
                        .put("artifactType", manifest.path("artifactType").asText());
            }
        });
        request.response()
                .putHeader("Content-Type", "application/vnd.oci.image.index.v1+json")
                .end(Json.text(index));
    }

    private void tags(HttpServerRequest request, String name) {
        var body = Json.object().put("name", name);
        var tags = body.putArray("tags");
        manifests.keySet().stream()
                .filter(key -> key.startsWith(name + "@") && !key.startsWith(name + "@sha256:"))
                .sorted()
                .forEach(key -> tags.add(key.substring(name.length() + 1)));
        request.response().putHeader("Content-Type", JSON).end(Json.text(body));
    }

    private static void answer(HttpServerRequest request, @Nullable StoredContent storedContent, String unknown) {
        if (storedContent == null) {
            reject(request, 404, unknown);
            return;
        }
        var response = request.response()
                .putHeader("Content-Type", storedContent.mediaType == null ? JSON : storedContent.mediaType)
                .putHeader("Docker-Content-Digest", digest(storedContent.bytes));
        if (request.method().equals(HttpMethod.HEAD)) {
            response.putHeader("Content-Length", String.valueOf(storedContent.bytes.length()))
                    .end();
        } else {
            response.end(storedContent.bytes);
        }
    }

    private static void reject(HttpServerRequest request, int status, String code) {
        var body = Json.object();
        body.putArray("errors").addObject().put("code", code);
        request.response().setStatusCode(status).putHeader("Content-Type", JSON).end(Json.text(body));
    }

    private void challenge(HttpServerRequest request) {
        request.response().putHeader("WWW-Authenticate", "Bearer realm=\"" + url() + "/token\",service=\"test\"");
        reject(request, 401, "UNAUTHORIZED");
    }

    private boolean isAllowed(HttpServerRequest request) {
        var rules = tokens;
        if (rules == null) {
            return true;
        }
        var given = request.getHeader("Authorization");
        var matcher = PATH.matcher(request.path());
        var reads = request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        return given != null
                && given.startsWith("Bearer ")
                && matcher.matches()
                && isValid(rules, given.substring("Bearer ".length()), matcher.group(1), reads ? "pull" : "push");
    }

    private static boolean isValid(TokenRules rules, String token, String repository, String action) {
        try {
            var parts = token.split("\\.", -1);
            var decoder = Base64.getUrlDecoder();
            var header = Json.parseTrusted(decoder.decode(parts[0]));
            var sent = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(Base64.getDecoder()
                            .decode(header.path("x5c").path(0).asText())));
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initVerify(rules.certificate.getPublicKey());
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            var claims = Json.parseTrusted(decoder.decode(parts[1]));
            var now = rules.clock.instant().getEpochSecond();
            return sent.equals(rules.certificate)
                    && signature.verify(decoder.decode(parts[2]))
                    && claims.path("iss").asText().equals(rules.issuer)
                    && claims.path("aud").asText().equals(rules.service)
                    && claims.path("nbf").asLong() <= now
                    && now < claims.path("exp").asLong()
                    && grants(claims.path("access"), repository, action);
        } catch (GeneralSecurityException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            return false;
        }
    }

    private static boolean grants(JsonNode access, String repository, String action) {
        for (var each : access) {
            var actions = new ArrayList<String>();
            each.path("actions").forEach(a -> actions.add(a.asText()));
            if (each.path("name").asText().equals(repository) && actions.contains(action)) {
                return true;
            }
        }
        return false;
    }

    private static String digest(Buffer bytes) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes.getBytes());
            return "sha256:" + HexFormat.of().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T await(io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        await(vertx.close());
    }
}
