package dev.slipway.testkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;

import static org.assertj.core.api.Assertions.assertThat;

/** Pushes to a registry like an OCI client. */
public final class RegistryPusher {
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
    private static final String ENVELOPE = "application/vnd.dsse.envelope.v1+json";
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final String url;
    private final @Nullable String token;

    public RegistryPusher(String url, @Nullable String token) {
        this.url = url;
        this.token = token;
    }

    /** Pushes an image of one layer and returns its digest. */
    @CanIgnoreReturnValue
    public String image(String repository, String tag, String content) {
        var manifest = manifest(blob(repository, CONFIG, "{}".getBytes(StandardCharsets.UTF_8)));
        manifest.withArray("layers")
                .add(blob(
                        repository,
                        "application/vnd.oci.image.layer.v1.tar",
                        content.getBytes(StandardCharsets.UTF_8)));
        return manifest(repository, tag, manifest);
    }

    /** Pushes a signature of an artifact. */
    @CanIgnoreReturnValue
    public String signature(String repository, String digest, byte[] payload, byte[] signature) {
        var layer = blob(repository, "application/vnd.dev.cosign.simplesigning.v1+json", payload);
        layer.putObject("annotations")
                .put("dev.cosignproject.cosign/signature", Base64.getEncoder().encodeToString(signature));
        var manifest = manifest(blob(repository, CONFIG, "{}".getBytes(StandardCharsets.UTF_8)));
        manifest.withArray("layers").add(layer);
        return manifest(repository, digest.replace(':', '-') + ".sig", manifest);
    }

    /** Pushes an attestation under the tag that is derived from the artifact's digest. */
    @CanIgnoreReturnValue
    public String attestation(String repository, String digest, ObjectNode envelope) {
        return manifest(repository, digest.replace(':', '-') + ".att", pushAttestation(repository, envelope));
    }

    /** Pushes an attestation as a referrer of the artifact. */
    @CanIgnoreReturnValue
    public String referrer(String repository, String digest, ObjectNode envelope) {
        var manifest = pushAttestation(repository, envelope).put("artifactType", ENVELOPE);
        manifest.putObject("subject")
                .put("mediaType", MANIFEST)
                .put("digest", digest)
                .put("size", 1);
        var bytes = Json.bytes(manifest);
        return manifest(repository, digest(bytes), manifest);
    }

    private ObjectNode pushAttestation(String repository, ObjectNode envelope) {
        var manifest = manifest(blob(repository, CONFIG, "{}".getBytes(StandardCharsets.UTF_8)));
        manifest.withArray("layers").add(blob(repository, ENVELOPE, Json.bytes(envelope)));
        return manifest;
    }

    /** Pushes a blob and returns its descriptor. */
    public ObjectNode blob(String repository, String mediaType, byte[] bytes) {
        var begun = send("POST", url + "/v2/" + repository + "/blobs/uploads/", null, new byte[0], 202);
        var location = URI.create(url + "/")
                .resolve(begun.headers().firstValue("Location").orElseThrow())
                .toString();
        var digest = digest(bytes);
        var end = location + (location.contains("?") ? "&" : "?") + "digest=" + digest;
        send("PUT", end, "application/octet-stream", bytes, 201);
        return Json.object().put("mediaType", mediaType).put("digest", digest).put("size", bytes.length);
    }

    /** Pushes a manifest under a tag or its digest, and returns the digest. */
    @CanIgnoreReturnValue
    public String manifest(String repository, String reference, ObjectNode manifest) {
        var bytes = Json.bytes(manifest);
        send("PUT", url + "/v2/" + repository + "/manifests/" + reference, MANIFEST, bytes, 201);
        return digest(bytes);
    }

    /** Returns the status of an upload request. */
    public int tryStartUpload(String repository) {
        return send("POST", url + "/v2/" + repository + "/blobs/uploads/", null, new byte[0], 0)
                .statusCode();
    }

    /** Returns the status of a read request. */
    public int tryReadManifest(String repository, String what) {
        return send("GET", url + "/v2/" + repository + "/" + what, null, new byte[0], 0)
                .statusCode();
    }

    private static ObjectNode manifest(ObjectNode config) {
        var manifest = Json.object().put("schemaVersion", 2).put("mediaType", MANIFEST);
        manifest.set("config", config);
        manifest.putArray("layers");
        return manifest;
    }

    @CanIgnoreReturnValue
    private HttpResponse<byte[]> send(
            String method, String address, @Nullable String contentType, byte[] body, int expected) {
        var request = HttpRequest.newBuilder(URI.create(address))
                .timeout(Duration.ofSeconds(30))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (contentType != null) {
            request.setHeader("Content-Type", contentType);
        }
        request.setHeader("Accept", MANIFEST + ", */*");
        if (token != null) {
            request.setHeader("Authorization", "Bearer " + token);
        }
        try {
            var response = HTTP.send(request.build(), BodyHandlers.ofByteArray());
            if (expected != 0) {
                assertThat(response.statusCode())
                        .as("%s %s: %s", method, address, new String(response.body(), StandardCharsets.UTF_8))
                        .isEqualTo(expected);
            }
            return response;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
