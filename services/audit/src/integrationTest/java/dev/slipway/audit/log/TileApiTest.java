package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.MerkleTree;
import dev.slipway.audit.log.domain.SignedNote;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.await;
import static dev.slipway.audit.log.AuditLogFixture.records;
import static dev.slipway.audit.log.AuditLogFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reads a log of 600 entries as a client of C2SP tlog-tiles does. */
class TileApiTest {
    private static final int ENTRIES = 600;

    private static AuditLogFixture fixture;

    @BeforeAll
    static void fill() {
        fixture = new AuditLogFixture();
        fixture.append(records(ORG, ENTRIES));
        fixture.awaitCheckpoints();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @Test
    void tilesAndBundles_haveTheRootOfTheCheckpoint() {
        var leaves = new ArrayList<Hash>();
        for (var index : List.of("000", "001", "002.p/88")) {
            var hashes = split(fixture.tile("0/" + index));
            assertThat(leafHashes(fixture.tile("entries/" + index))).isEqualTo(hashes);
            leaves.addAll(hashes);
        }
        assertThat(leaves).hasSize(ENTRIES);
        assertThat(split(fixture.tile("1/000.p/2")))
                .containsExactly(MerkleTree.root(leaves.subList(0, 256)), MerkleTree.root(leaves.subList(256, 512)));
        var note = new String(
                await(fixture.tiles.checkpoint(request(Map.of(), null))).body(), StandardCharsets.UTF_8);
        var checkpoint = Checkpoint.parse(SignedNote.parse(note).text());
        assertThat(checkpoint.size()).isEqualTo(ENTRIES);
        assertThat(checkpoint.root()).isEqualTo(MerkleTree.root(leaves));
    }

    @Test
    void tile_canBeSmallerThanTheNewestCheckpoint() {
        assertThat(split(fixture.tile("0/002.p/5")))
                .isEqualTo(split(fixture.tile("0/002.p/88")).subList(0, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0/003",
                "0/002",
                "0/002.p/89",
                "1/000",
                "2/000.p/1",
                "entries/003",
                "entries/002.p/89",
                "00/000",
                "64/000"
            })
    void tile_isNotFound_whenNoCheckpointCoversIt(String path) {
        assertThatThrownBy(() -> fixture.tile(path)).hasStackTraceContaining("ProblemException");
    }

    @Test
    void export_contains_everyTile() {
        assertThat(fixture.export(100).stream().filter(line -> line.contains("\"type\":\"tile\"")))
                .hasSize(4)
                .satisfiesExactly(
                        line -> assertThat(line).contains("tile/0/000\""),
                        line -> assertThat(line).contains("tile/0/001\""),
                        line -> assertThat(line).contains("tile/1/000.p/2\""),
                        line -> assertThat(line).contains("tile/0/002.p/88\""));
        assertThat(AuditLogTest.verify(fixture.export(100), fixture.keys.publicKeys(AuditLogFixture.LOG), null)
                        .fault())
                .isNull();
    }

    private static List<Hash> split(byte[] tile) {
        var hashes = new ArrayList<Hash>();
        for (var from = 0; from < tile.length; from += Hash.BYTES) {
            hashes.add(Hash.of(Arrays.copyOfRange(tile, from, from + Hash.BYTES)));
        }
        return hashes;
    }

    private static List<Hash> leafHashes(byte[] bundle) {
        var hashes = new ArrayList<Hash>();
        var in = ByteBuffer.wrap(bundle);
        while (in.hasRemaining()) {
            var entry = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(entry);
            hashes.add(MerkleTree.leafHash(entry));
        }
        return hashes;
    }
}
