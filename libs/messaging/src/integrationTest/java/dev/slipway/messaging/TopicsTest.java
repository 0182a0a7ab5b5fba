package dev.slipway.messaging;

import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static dev.slipway.messaging.Stage.await;
import static org.assertj.core.api.Assertions.assertThat;

class TopicsTest {
    /** What a broker answers about a topic that another has just made: that there is none. */
    @Test
    void theIdOfATopic_isWaitedFor_whereTheBrokerDoesNotKnowItYet() {
        try (var stage = new Stage()) {
            var asked = Topics.id(stage.vertx, stage.kafka, Topics.AUTHZ_STATE);
            await(stage.vertx.timer(Duration.ofSeconds(1).toMillis()));
            assertThat(asked.isComplete()).isFalse();

            await(Topics.ensure(stage.vertx, stage.kafka));

            var known = Topics.id(stage.vertx, stage.kafka, Topics.AUTHZ_STATE);
            var others = Topics.id(stage.vertx, stage.kafka, Topics.IAM_STATE);
            await(Future.all(asked, known, others));
            assertThat(asked.result()).isEqualTo(known.result()).isNotEqualTo(others.result());
        }
    }
}
