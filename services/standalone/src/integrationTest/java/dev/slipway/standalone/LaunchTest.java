package dev.slipway.standalone;

import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A launch, from the request to the events, as its caller and its followers see it. */
class LaunchTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    @Proves({"1.48", "1.64", "1.70"})
    void create_isAcceptedAndAnnounced_whenEntitled() {
        var created = platform.launch("project_member", "one").send().expect(202);

        assertThat(created.text("status")).isEqualTo("requested");
        assertThat(created.header("Location")).endsWith("/app-instances/" + created.text("id"));
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("apps.instance.requested")
                                && seen.key().equals(created.text("id"))))
                .hasSize(1));
        assertThat(platform.events().faults()).isEmpty();
    }
}
