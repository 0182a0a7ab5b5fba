package dev.slipway.standalone;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts a platform with an adapter and versions that support shared runtimes. */
@ResourceLock("SharedRuntimeTestBase") // its static fields: subclasses must not run in parallel
abstract class SharedRuntimeTestBase {
    static PlatformUnderTest platform;
    static SharedRuntimeAdapter adapter;
    static SharedRuntimeCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_DEADLINES_EVERY", "PT0.2S"));
        calls = new SharedRuntimeCalls(platform);
        calls.prepare();
        adapter = SharedRuntimeAdapter.start(platform);
    }

    @AfterEach
    void releaseAdapter() {
        adapter.release();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        assertThat(platform.events().violations()).isEmpty();
        adapter.close();
        platform.close();
    }
}
