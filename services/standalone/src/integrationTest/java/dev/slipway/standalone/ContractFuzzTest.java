package dev.slipway.standalone;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Sends a sample of fuzzed requests with a fixed seed; {@code ContractFuzzSoakTest} sends many with a new one. */
@Order(10) // slow: it should not run alone at the end
class ContractFuzzTest {
    private static final int SEED = 17;
    private static final int SAMPLE = 1_140;

    @TempDir
    Path directory;

    @Test
    void everyOperation_answersFuzzedRequests_withinTheContract() throws Exception {
        new ContractFuzz(directory, SEED, SAMPLE).run();
    }
}
