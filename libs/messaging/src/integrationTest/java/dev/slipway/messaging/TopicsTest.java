package dev.slipway.messaging;

import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static dev.slipway.messaging.MessagingFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

class TopicsTest {
    /** A broker may not know a topic yet that was created through another one. */
    @Test
    void findId_waits_whenBrokerDoesNotKnowTopicYet() {
        try (var stage = new MessagingFixture()) {
            var pending = Topics.findId(stage.vertx, stage.kafka, Topics.AUTHZ_STATE);
            await(stage.vertx.timer(Duration.ofSeconds(1).toMillis()));
            assertThat(pending.isComplete()).isFalse();

            await(Topics.createMissing(stage.vertx, stage.kafka));

            var known = Topics.findId(stage.vertx, stage.kafka, Topics.AUTHZ_STATE);
            var other = Topics.findId(stage.vertx, stage.kafka, Topics.IAM_STATE);
            await(Future.all(pending, known, other));
            assertThat(pending.result()).isEqualTo(known.result()).isNotEqualTo(other.result());
        }
    }
}
