package dev.slipway.audit.log.domain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TileTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0, 256, tile/0/000",
        "0, 67, 256, tile/0/067",
        "0, 1234067, 256, tile/0/x001/x234/067",
        "1, 1000, 256, tile/1/x001/000",
        "0, 273, 112, tile/0/273.p/112",
        "0, 1234067, 8, tile/0/x001/x234/067.p/8",
        "63, 0, 1, tile/63/000.p/1",
    })
    void path_matchesSpecification(int level, long index, int width, String path) {
        var tile = new Tile(level, index, width);
        assertThat(tile.path()).isEqualTo(path);
        assertThat(Tile.parse(path)).isEqualTo(tile);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tile/0/1",
                "tile/0/x000/001",
                "tile/0/1000",
                "tile/0/000.p/256",
                "tile/0/000.p/0",
                "tile/64/000",
                "tile/-1/000",
                "tile/00/000",
                "tile/0",
                "other/0/000",
                "tile/0/000.p",
                "tile/0/-01",
                "tile/0/001/x002"
            })
    void parse_isRejected_whenPathIsNotCanonical(String path) {
        assertThatThrownBy(() -> Tile.parse(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void all_returnsPartialTileAtTheEndOfEachLevel() {
        assertThat(Tile.all(0)).isEmpty();
        assertThat(Tile.all(256).stream().map(Tile::path)).containsExactly("tile/0/000", "tile/1/000.p/1");
        assertThat(Tile.all(600).stream().map(Tile::path))
                .containsExactly("tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2");
        assertThat(Tile.all(70_000)).hasSize(274 + 2 + 1).last().isEqualTo(new Tile(2, 0, 1));
    }

    @Test
    void completedBetween_returnsFullTilesInOrderOfCompletion() {
        assertThat(Tile.completedBetween(0, 255)).isEmpty();
        assertThat(Tile.completedBetween(100, 600).stream().map(Tile::path))
                .containsExactly("tile/0/000", "tile/0/001");
        assertThat(Tile.completedBetween(600, 700)).isEmpty();
        assertThat(Tile.completedBetween(65_300, 65_536).stream().map(Tile::path))
                .containsExactly("tile/0/255", "tile/1/000");
    }

    @Test
    void partial_returnsTheTilesThatAreNotFull() {
        assertThat(Tile.partial(512).stream().map(Tile::path)).containsExactly("tile/1/000.p/2");
        assertThat(Tile.partial(600).stream().map(Tile::path)).containsExactly("tile/0/002.p/88", "tile/1/000.p/2");
    }

    @ParameterizedTest
    @CsvSource({
        "tile/0/000, 256, true",
        "tile/0/000, 255, false",
        "tile/0/001.p/4, 260, true",
        "tile/0/001.p/5, 260, false",
        "tile/1/000.p/1, 256, true",
        "tile/1/000.p/1, 255, false",
        "tile/8/000.p/1, 9223372036854775807, false",
        "tile/63/000, 9223372036854775807, false",
        "tile/0/x999/x999/x999/x999/x999/999, 9223372036854775807, false",
    })
    void isPartOf_comparesWithTheHashesOfTheLevel(String path, long treeSize, boolean expected) {
        assertThat(Tile.parse(path).isPartOf(treeSize)).isEqualTo(expected);
    }
}
