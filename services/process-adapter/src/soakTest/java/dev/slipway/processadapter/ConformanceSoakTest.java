package dev.slipway.processadapter;

import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class ConformanceSoakTest {
    @TempDir
    Path home;

    @Test
    @Proves("1.17")
    void adapter_passesTheWholeKit() throws Exception {
        ConformanceTest.passesTheKit(home);
    }
}
