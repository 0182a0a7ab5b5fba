package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Sends many fuzzed requests, with a new seed on every run. */
class ContractFuzzSoakTest {
    private static final int REQUESTS = 20_000;

    @TempDir
    Path directory;

    @Test
    void everyOperation_answersFuzzedRequests_withinTheContract() throws Exception {
        new ContractFuzz(directory, System.currentTimeMillis(), REQUESTS).run();
    }
}
