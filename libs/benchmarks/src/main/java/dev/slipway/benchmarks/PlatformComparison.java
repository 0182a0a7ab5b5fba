package dev.slipway.benchmarks;

import java.nio.file.Path;
import java.util.List;

/** Measures the latency of the same requests on a platform with few rows and on one with many, alternately, so that other load on the machine affects both. */
final class PlatformComparison {
    static final int PASSES = 7;
    private static final int RATE = 100;
    private static final double SECONDS = 5;
    private static final double BAR = 2;

    private final ResultTable resultTable;

    /** A platform with the given number of rows. */
    record Setup(BenchEnvironment environment, BenchEnvironment.RunningPlatform platform, int rows, String size)
            implements AutoCloseable {
        @Override
        public void close() {
            platform.close();
        }

        /** Writes the requests to a file, one per line: method, path, token and body. */
        Path requests(String name, List<String> lines) {
            return environment.requests(name, lines);
        }

        void warmUp(Path requests) {
            environment.warmUpUntilCompiled(platform.process(), platform.port(), requests, RATE * 10);
        }

        double p99(Path requests) {
            return environment
                            .load(platform.port(), requests, (int) (RATE * SECONDS), SECONDS, RATE)
                            .path("p99_us")
                            .asDouble()
                    / 1_000;
        }
    }

    PlatformComparison(ResultTable resultTable) {
        this.resultTable = resultTable;
    }

    void compare(String what, Setup few, Path ofFew, Setup many, Path ofMany, String note) {
        few.warmUp(ofFew);
        many.warmUp(ofMany);
        var before = new double[PASSES];
        var after = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            before[pass] = few.p99(ofFew);
            after[pass] = many.p99(ofMany);
        }
        var ratio = ResultTable.median(after) / ResultTable.median(before);
        resultTable.add(new ResultTable.Row(
                what + ", p99",
                ResultTable.number(ResultTable.median(after)) + " ms with " + many.size,
                ResultTable.number(ResultTable.median(before)) + " ms with " + few.size,
                ResultTable.number(ratio),
                "≤ " + BAR + " ×",
                ResultTable.isMet(ratio <= BAR),
                RATE + " requests a second; " + note));
    }
}
