package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts a platform with an adapter and a version that has members and declared operations. */
@ResourceLock("MemberTestBase") // its static fields: subclasses must not run in parallel
abstract class MemberTestBase {
    static final String VERSION = "3.0.0";

    @TempDir
    static Path directory;

    static PlatformUnderTest platform;
    static SimulatedAdapter adapter;
    static MemberCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
        calls = new MemberCalls(platform, VERSION);
        calls.publishVersion();
    }

    @AfterEach
    void resetAdapter() {
        adapter.fail(false);
        adapter.release();
        adapter.replyWith((operation, input) -> (ObjectNode) input);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        adapter.close();
        platform.close();
    }
}
