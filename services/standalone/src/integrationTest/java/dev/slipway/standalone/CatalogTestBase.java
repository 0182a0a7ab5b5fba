package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of the catalog, and waits for its registries. */
@ResourceLock("CatalogTestBase") // its static fields: subclasses must not run in parallel
abstract class CatalogTestBase {
    static PlatformUnderTest platform;
    static ApiClient admin;
    static CatalogCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        admin = platform.as("platform_superadmin");
        calls = new CatalogCalls(platform);
        eventually(() ->
                calls.get("getRegistryEntry", "scope", "apps.instance.report").expect(200));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }
}
