package dev.slipway.adapter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class GreeterAdapterSoakTest {
    @TempDir
    Path home;

    @Test
    void example_passesAllScenarios() throws Exception {
        GreeterAdapterTest.runKit(home);
    }
}
