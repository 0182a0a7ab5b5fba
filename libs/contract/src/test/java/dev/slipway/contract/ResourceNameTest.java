package dev.slipway.contract;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ResourceNameTest {
    private static final UUID ORG = new UUID(0, 1);
    private static final UUID PROJECT = new UUID(0, 2);
    private static final UUID ID = new UUID(0, 3);

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "a b", "ä", "-\n"})
    void constructor_throws_whenTheRegionIsInvalid(String region) {
        assertThatThrownBy(() -> new ResourceName(region, ORG, PROJECT, "app_instance", ID))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "App", "app-instance", "app2"})
    void constructor_throws_whenTheKindIsInvalid(String kind) {
        assertThatThrownBy(() -> new ResourceName("local", ORG, PROJECT, kind, ID))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void toString_hasSixParts() {
        assertThat(new ResourceName("eu-1", ORG, PROJECT, "app_instance", ID))
                .hasToString("slipway:eu-1:00000000-0000-0000-0000-000000000001:00000000-0000-0000-0000-000000000002"
                        + ":app_instance:00000000-0000-0000-0000-000000000003");
    }

    @Test
    void toString_hasADash_withoutAProject() {
        assertThat(new ResourceName("eu-1", ORG, null, "shared_runtime", ID))
                .hasToString("slipway:eu-1:00000000-0000-0000-0000-000000000001:-:shared_runtime"
                        + ":00000000-0000-0000-0000-000000000003");
    }
}
