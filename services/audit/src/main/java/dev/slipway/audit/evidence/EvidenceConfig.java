package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.ingest.AttestationVerifier;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of evidence.
 *
 * @param directory where large content is stored
 * @param gitlabToken the secret token of the GitLab webhook; null rejects all events
 * @param attestationKeys verify attestations; if empty, attestations are recorded as unverified
 */
public record EvidenceConfig(Path directory, @Nullable String gitlabToken, List<PublicKey> attestationKeys) {
    private static final String KEYS = "SLIPWAY_EVIDENCE_ATTESTATION_KEYS";

    public static EvidenceConfig from(Settings settings) {
        var home = Path.of(settings.text("SLIPWAY_HOME", ".slipway"));
        return new EvidenceConfig(
                Path.of(settings.text(
                        "SLIPWAY_EVIDENCE_DIRECTORY", home.resolve("evidence").toString())),
                settings.optional("SLIPWAY_EVIDENCE_GITLAB_TOKEN"),
                attestationKeys(settings));
    }

    private static List<PublicKey> attestationKeys(Settings settings) {
        var keys = new ArrayList<PublicKey>();
        for (var file : settings.list(KEYS, List.of())) {
            try {
                keys.add(AttestationVerifier.parseKey(Files.readString(Path.of(file))));
            } catch (IOException | IllegalArgumentException e) {
                settings.addError(KEYS + ": " + file + " is not a readable public key in PEM format");
            }
        }
        return List.copyOf(keys);
    }

    @Override
    public String toString() {
        return "EvidenceConfig[" + directory + "]"; // the token stays out of logs
    }
}
