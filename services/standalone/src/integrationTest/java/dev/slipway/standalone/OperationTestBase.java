package dev.slipway.standalone;

import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.nio.file.Path;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts a platform with an adapter, an app and short intervals between deadline checks. */
@ResourceLock("OperationTestBase") // its static fields: subclasses must not run in parallel
abstract class OperationTestBase {
    @TempDir
    static Path directory;

    static PlatformUnderTest platform;
    static SimulatedAdapter adapter;
    static InstanceFixture instanceFixture;
    static RawReports reports;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_DEADLINES_EVERY", "PT0.2S"));
        instanceFixture = new InstanceFixture(platform);
        instanceFixture.insertApp();
        reports = new RawReports(platform);
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
    }

    @AfterEach
    void resetAdapter() {
        adapter.release();
        adapter.fail(false);
        adapter.failDeletes(false);
    }

    @AfterAll
    static void stop() {
        adapter.close();
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }
}
