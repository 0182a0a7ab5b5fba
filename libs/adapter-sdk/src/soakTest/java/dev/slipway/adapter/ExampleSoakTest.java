package dev.slipway.adapter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ExampleSoakTest {
    @TempDir
    Path home;

    @Test
    void example_passesTheWholeKit() throws Exception {
        ExampleTest.passesTheKit(home);
    }
}
