package dev.slipway.processadapter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ConformanceSoakTest {
    @TempDir
    Path home;

    @Test
    void adapter_passesAllScenarios() throws Exception {
        ConformanceTest.runKit(home);
    }
}
