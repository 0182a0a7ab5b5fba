package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.ProofVerifier;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Proofs, tiles and exports of a log, and the commands of the audit guide as one script. */
class AuditProofTest {
    private static final Pattern SHELL_BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final int TIMEOUT_MINUTES = 4;

    private static PlatformUnderTest platform;
    private static AuditCalls audit;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        audit = new AuditCalls(platform);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void proofs_matchThePublishedCheckpoint() {
        var entry = audit.launch("proven entry");
        var sequence = entry.path("sequence").asLong();
        var proof = eventuallyGet(
                () -> audit.organization("getOrganizationAuditInclusionProof", "tenant_owner", DemoData.ORG)
                        .query("sequence=" + sequence)
                        .send()
                        .expect(200)
                        .body());
        var size = proof.path("tree_size").asLong();
        var root = Hash.ofHex(proof.path("root_hash").asText());
        assertThat(proof.path("leaf_hash")).isEqualTo(entry.path("leaf_hash"));
        assertThat(ProofVerifier.isIncluded(
                        Hash.ofHex(proof.path("leaf_hash").asText()), sequence, size, hashes(proof), root))
                .isTrue();
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.topic().equals("audit.checkpoints")
                                && observed.key().equals(DemoData.ORG.toString())
                                && observed.payload().path("tree_size").asLong() == size))
                .singleElement()
                .satisfies(observed -> assertThat(
                                observed.payload().path("root_hash").asText())
                        .isEqualTo(root.hex())));
        var consistency = audit.organization("getOrganizationAuditConsistencyProof", "tenant_owner", DemoData.ORG)
                .query("from_size=1&tree_size=" + size)
                .send()
                .expect(200)
                .body();
        assertThat(ProofVerifier.isConsistent(
                        1,
                        Hash.ofHex(consistency.path("from_root_hash").asText()),
                        size,
                        Hash.ofHex(consistency.path("root_hash").asText()),
                        hashes(consistency)))
                .isTrue();
        assertThat(platform.events().violations()).isEmpty();
    }

    @Test
    void tiles_areServedInTheLayoutOfTlogTiles() {
        audit.launch("entry in a tile");
        var note = audit.organization("getOrganizationAuditLogCheckpoint", "tenant_owner", DemoData.ORG)
                .send()
                .expect(200)
                .body()
                .asText();
        var root = Checkpoint.parse(SignedNote.parse(note).text());
        var width = Math.min(root.size(), 256);
        for (var path : List.of("0/000", "0%2F000")) {
            var tile = audit.organization("getOrganizationAuditTile", "tenant_owner", DemoData.ORG)
                    .path("tile", width == 256 ? path : path + ".p/" + width)
                    .send()
                    .expect(200)
                    .body()
                    .asText();
            assertThat(Base64.getDecoder().decode(tile)).hasSize((int) width * Hash.BYTES);
        }
        audit.organization("getOrganizationAuditTile", "tenant_owner", DemoData.ORG)
                .path("tile", "0/001")
                .send()
                .expect(404);
        platform.as("platform_superadmin")
                .call("getPlatformAuditTile")
                .path("tile", "entries/000.p/1")
                .send()
                .expect(200);
        platform.as("tenant_owner")
                .call("getPlatformAuditTile")
                .path("tile", "0/000.p/1")
                .send()
                .expect(403);
    }

    @Test
    void export_isVerifiedByTheTool_andRejectedWhenChanged() throws IOException {
        audit.launch("exported entry");
        var lines = audit.organization("exportOrganizationAudit", "tenant_owner", DemoData.ORG)
                .query("limit=500")
                .send()
                .expect(200)
                .body();
        var export = StreamSupport.stream(lines.spliterator(), false)
                .map(Json::text)
                .collect(Collectors.joining("\n", "", "\n"));
        var file = Files.writeString(directory.resolve("export.ndjson"), export);
        assertThat(VerifyMain.commandLine().execute(file.toString())).isZero();
        var changed = Files.writeString(
                directory.resolve("changed.ndjson"),
                export.replace("\"apps.instance.create\"", "\"apps.instance.delete\""));
        assertThat(VerifyMain.commandLine().execute(changed.toString())).isEqualTo(1);
        assertThat(VerifyMain.commandLine().execute("--key", "no key", file.toString()))
                .isEqualTo(2);
    }

    @Test
    void guide_exportsVerifiesAndProves_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        Files.writeString(tokens.resolve("tenant_owner"), platform.token("tenant_owner"));
        platform.launch("project_owner", "audited").send().expect(202);
        eventually(() -> platform.as("tenant_owner")
                .call("getOrganizationAuditCheckpoint")
                .path("org_id", DemoData.ORG)
                .send()
                .expect(200));

        var output = run(guide().replace("http://127.0.0.1:8080", platform.baseUrl()));

        assertThat(output)
                .contains(
                        "valid: slipway.local/audit/" + DemoData.ORG,
                        "use --key with a key that you trust",
                        "not valid at entry ",
                        "the content of the entry was changed",
                        "\"leaf_hash\":");
    }

    private static String guide() throws IOException {
        var guide = Files.readString(Path.of("../../docs/audit.md"));
        return SHELL_BLOCK.matcher(guide).results().map(block -> block.group(1)).collect(Collectors.joining("\n"));
    }

    /** The installed program is on the path, as in an unpacked distribution. */
    private String run(String script) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var programs = Path.of(System.getProperty("slipway.standalone.program")).getParent();
        var builder = new ProcessBuilder("bash", "-eu")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(
                        Files.writeString(directory.resolve("guide.sh"), script).toFile())
                .redirectOutput(output.toFile());
        builder.environment().compute("PATH", (name, path) -> programs + ":" + path);
        var shell = builder.start();
        try {
            assertThat(shell.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES))
                    .as("%s", Files.readString(output))
                    .isTrue();
            assertThat(shell.exitValue()).as("%s", Files.readString(output)).isZero();
        } finally {
            shell.destroyForcibly();
        }
        return Files.readString(output);
    }

    private static List<Hash> hashes(JsonNode proof) {
        return StreamSupport.stream(proof.path("hashes").spliterator(), false)
                .map(hash -> Hash.ofHex(hash.asText()))
                .toList();
    }
}
