package dev.slipway.metering.usage;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.testkit.FreshDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UsageSchemaTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static FreshDatabase database;
    private static ServiceDatabase service;

    @BeforeAll
    static void open() {
        database = FreshDatabase.create();
        service = await(ServiceDatabase.open(VERTX, new DatabaseSettings(database.url(), 2, null), "metering", false));
    }

    @AfterAll
    static void close() {
        await(service.close());
        database.close();
        await(VERTX.close());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE usage_facts SET quantity = 0",
                "DELETE FROM usage_facts",
                "DELETE FROM usage_fact_ids",
                "UPDATE usage_fact_ids SET body_hash = ''",
                "DELETE FROM usage_periods",
                "CREATE TABLE mine (id int)"
            })
    void runtimeRole_cannotChangeFacts(String statement) {
        assertThatThrownBy(() -> await(service.reads().query(statement).execute()))
                .hasMessageContaining("permission denied");
    }

    @Test
    void createUsagePeriod_createsThePartition_asOftenAsItIsCalled() {
        for (var i = 0; i < 2; i++) {
            await(service.reads()
                    .query("SELECT create_usage_period('2024-02-17')")
                    .execute());
        }
        assertThat(database.query("SELECT count(*) FROM metering.usage_periods WHERE period = '2024-02-01'"))
                .isEqualTo("1");
        assertThat(database.query("SELECT count(*) FROM metering.usage_facts_202402"))
                .isEqualTo("0");
        assertThatThrownBy(() -> await(
                        service.reads().query("DELETE FROM usage_facts_202402").execute()))
                .hasMessageContaining("permission denied");
    }

    @CanIgnoreReturnValue
    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }
}
