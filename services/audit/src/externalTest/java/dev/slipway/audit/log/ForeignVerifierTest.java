package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static org.assertj.core.api.Assertions.assertThat;

/** Verifies the proofs of a log with an implementation of RFC 9162 that is not ours. Needs node and npm. */
class ForeignVerifierTest {
    private static final String VERIFIER = "@transmute/rfc9162@0.0.5";
    private static final int ENTRIES = 300;

    /** The package expects the first root in front of the path if the first tree is complete, as RFC 9162 tells the verifier. */
    private static final String SCRIPT = """
            const { RFC9162 } = require('@transmute/rfc9162');
            const bin = RFC9162.hexToBin;
            (async () => {
              const wrong = [];
              const { inclusion, consistency } = require('./proofs.json');
              for (const p of inclusion) {
                const proof = { tree_size: p.tree_size, leaf_index: p.sequence, inclusion_path: p.hashes.map(bin) };
                if (!(await RFC9162.verifyInclusionProof(bin(p.root_hash), bin(p.leaf_hash), proof))) wrong.push('inclusion ' + p.sequence);
                const other = { ...proof, leaf_index: (p.sequence + 1) % p.tree_size };
                if (await RFC9162.verifyInclusionProof(bin(p.root_hash), bin(p.leaf_hash), other)) wrong.push('moved ' + p.sequence);
              }
              for (const p of consistency) {
                const complete = Number.isInteger(Math.log2(p.from_size));
                const path = (complete ? [p.from_root_hash] : []).concat(p.hashes).map(bin);
                const proof = { log_id: '', tree_size_1: p.from_size, tree_size_2: p.tree_size, consistency_path: path };
                if (!(await RFC9162.verifyConsistencyProof(bin(p.from_root_hash), bin(p.root_hash), proof))) wrong.push('consistency ' + p.from_size);
                if (await RFC9162.verifyConsistencyProof(bin(p.root_hash), bin(p.root_hash), proof)) wrong.push('rewritten ' + p.from_size);
              }
              console.log(inclusion.length + ' and ' + consistency.length + ' proofs, wrong: ' + wrong.join(', '));
            })();
            """;

    @TempDir
    private Path directory;

    @Test
    void proofs_areAcceptedByAnotherImplementation() throws IOException, InterruptedException {
        var proofs = Json.object();
        try (var fixture = new AuditLogFixture()) {
            fixture.append(records(ORG, ENTRIES));
            fixture.awaitCheckpoints();
            var inclusion = proofs.putArray("inclusion");
            var consistency = proofs.putArray("consistency");
            for (var i = 0; i < ENTRIES; i += 7) {
                inclusion.add(get(fixture, true, "sequence", i));
                consistency.add(get(fixture, false, "from_size", i + 1));
            }
            for (var size : List.of(1, 2, 4, 128, 256)) {
                consistency.add(get(fixture, false, "from_size", size));
            }
        }
        Files.write(directory.resolve("proofs.json"), Json.bytes(proofs));
        Files.writeString(directory.resolve("verify.js"), SCRIPT);

        run("npm", "install", "--no-audit", "--no-fund", "--prefix", directory.toString(), VERIFIER);

        assertThat(run("node", "verify.js").strip()).endsWith("43 and 48 proofs, wrong:");
    }

    private static JsonNode get(AuditLogFixture fixture, boolean inclusion, String parameter, int value) {
        return fixture.get(
                inclusion ? fixture.api::proveInclusion : fixture.api::proveConsistency,
                Map.of(parameter, String.valueOf(value)));
    }

    @CanIgnoreReturnValue
    private String run(String... command) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s", Files.readString(output)).isZero();
        return Files.readString(output);
    }
}
