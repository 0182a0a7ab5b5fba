package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.standalone.SchedulerFixture.RegisteredAdapter;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts a platform with the bundled app and a third-party scheduler, each with its adapter. */
@ResourceLock("SchedulerTestBase") // its static fields: subclasses must not run in parallel
abstract class SchedulerTestBase {
    static final String VERSION = "1.0.0";
    static final String NEXT_VERSION = "1.1.0";
    static final String OTHER_BACKEND_VERSION = "1.0.0-ray";
    static final String REFUSED = "403 insufficient_permissions";

    @TempDir
    static Path directory;

    static PlatformUnderTest platform;
    static SchedulerFixture schedulerFixture;
    static RawReports reports;
    static SimulatedAdapter schedulerAdapter;
    static SimulatedAdapter bundledAdapter;
    private static RegisteredAdapter registeredAdapter;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        schedulerFixture = new SchedulerFixture(platform);
        reports = new RawReports(platform);
        schedulerFixture.registerAll();
        schedulerFixture.publishVersion(VERSION, "slurm");
        schedulerFixture.publishVersion(NEXT_VERSION, "slurm");
        schedulerFixture.publishVersion(OTHER_BACKEND_VERSION, "ray");
        registeredAdapter = schedulerFixture.register("slurm");
        schedulerAdapter = schedulerFixture.start(registeredAdapter, directory);
        bundledAdapter = SimulatedAdapter.start(platform.adapterIn(directory.resolve("bundled")));
        for (var project : List.of(DemoData.PROJECT, DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
            schedulerFixture.entitle(project, true, "{}");
        }
    }

    @AfterEach
    void resetReplies() {
        schedulerAdapter.replyWith((operation, input) -> (ObjectNode) input);
    }

    @AfterAll
    static void stop() {
        schedulerAdapter.close();
        bundledAdapter.close();
        assertThat(platform.events().violations()).allMatch(fault -> fault.contains("forged-report"));
        platform.close();
    }

    /** Returns a task token of the app's adapter for the command. */
    static String taskToken(String app, ObservedRecord command) {
        var event = command.event().path("event_id").asText();
        return app.equals(DemoData.APP)
                ? reports.token(command.key(), event)
                : reports.token(registeredAdapter.id(), registeredAdapter.secret(), command.key(), event);
    }
}
