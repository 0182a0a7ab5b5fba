package dev.slipway.service;

import dev.slipway.messaging.KafkaSettings;
import dev.slipway.settings.Settings;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ServiceSettingsTest {
    @Test
    void clusterSettings_areInvalid_whenFilesAreMissing() {
        var settings =
                new Settings(Map.of("SLIPWAY_CLUSTER", "127.0.0.1:5701", "SLIPWAY_CLUSTER_KEY_FILE", "/etc/hostname"));

        assertThat(ClusterSettings.from(settings)).isNotNull();

        assertThatThrownBy(settings::requireValid).hasMessageContaining("go together");
    }

    @Test
    void toString_hidesSecrets() {
        var database = new DatabaseSettings("postgresql://admin:hunter2@db:5432/slipway", 4);
        var kafka = new KafkaSettings("b:9092", "", 1, (short) 1, Map.of("sasl.jaas.config", "password=\"hunter2\""));
        var call = new Call("getMe", "c-1", "hunter2", Map.of(), Map.of(), Map.of(), null);

        assertThat(List.of(database.toString(), kafka.toString(), call.toString()))
                .noneMatch(text -> text.contains("hunter2"));
        assertThat(database).hasToString("DatabaseSettings[db:5432/slipway]");
    }

    @Test
    void jdbcUrl_verifiesServer_withCaFile() {
        var database = new DatabaseSettings("postgresql://admin:hunter2@db:5432/slipway", 4, "/etc/our ca.pem");

        assertThat(database.jdbcUrl())
                .isEqualTo("jdbc:postgresql://db:5432/slipway?sslmode=verify-full&sslrootcert=%2Fetc%2Four+ca.pem");
    }

    @Test
    void jdbcUrl_isEncrypted_whenUrlRequiresIt() {
        var database = new DatabaseSettings("postgresql://admin:hunter2@db:5432/slipway?sslmode=require", 4);

        assertThat(database.jdbcUrl()).isEqualTo("jdbc:postgresql://db:5432/slipway?sslmode=require");
    }

    @Test
    void password_differsPerRole_andDoesNotContainTheAdministrators() {
        var database = new DatabaseSettings("postgresql://admin:hunter2@db:5432/slipway", 4);

        assertThat(database.password("slipway_a"))
                .isNotEqualTo(database.password("slipway_b"))
                .doesNotContain("hunter2")
                .matches("[A-Za-z0-9_-]{43}");
    }
}
