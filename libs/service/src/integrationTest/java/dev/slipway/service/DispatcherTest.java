package dev.slipway.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import static dev.slipway.service.DatabaseTest.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests how calls reach their handlers and how failures are answered. */
class DispatcherTest extends DispatcherTestBase {
    @Test
    void failure_isLogged_andHiddenFromCaller() {
        var log = log();
        serve(request -> Future.failedFuture(new IllegalStateException("the password is hunter2")));

        var reply = call("getAppInstance", token("owner"));

        assertThat(reply.problem())
                .isEqualTo(Problem.of(
                        ErrorCode.INTERNAL_ERROR,
                        "An internal error occurred. Report it with the correlation id of this response."));
        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(log.list)
                .filteredOn(e -> e.getLevel() == Level.ERROR)
                .singleElement()
                .satisfies(e -> assertThat(e.getThrowableProxy().getMessage()).isEqualTo("the password is hunter2"));
    }

    @Test
    void call_waits_whenDataIsNotReplicatedYet() {
        var attempts = new AtomicInteger();
        serve(request -> {
            if (attempts.incrementAndGet() < 4) {
                throw new NotReplicatedException("Project data");
            }
            return handle(request);
        });

        assertThat(call("createAppInstance", token("owner")).problem()).isNull();
        assertThat(attempts).hasValue(4);
    }

    @Test
    void call_isUnavailable_whenDataIsNotReplicatedInTime() {
        var started = System.nanoTime();
        serve(request -> Future.failedFuture(new NotReplicatedException("Project data")));

        assertThat(call("createAppInstance", token("owner")).problem())
                .isEqualTo(Problem.of(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        "Project data has not been replicated to this service yet. Retry shortly."));
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void failure_isAnswered_whenHandlerThrows() {
        serve(request -> {
            throw new NullPointerException("oops");
        });

        assertThat(code(call("getAppInstance", token("owner")))).isEqualTo(ErrorCode.INTERNAL_ERROR);
    }

    @Test
    void problem_isReturned_whenHandlerFailsWithIt() {
        var problem = Problem.of(ErrorCode.APP_INSTANCE_NOT_FOUND, "There is none.");
        serve(request -> Future.failedFuture(problem.asException()));

        assertThat(call("getAppInstance", token("owner")).problem()).isEqualTo(problem);
    }

    @Test
    void outage_returnsDependencyUnavailable() {
        serve(request -> Future.failedFuture(new ConnectException("Connection refused: db.internal")));

        var reply = call("getAppInstance", token("owner"));

        assertThat(code(reply)).isEqualTo(ErrorCode.DEPENDENCY_UNAVAILABLE);
        assertThat(reply.problem().message()).doesNotContain("db.internal");
    }

    @Test
    void handler_receivesCallerAndScope() {
        serve(request -> {
            assertThat(request.principal().displayName()).isEqualTo("owner");
            assertThat(request.projectId()).isEqualTo(PROJECT);
            assertThat(request.orgId()).isEqualTo(ORG);
            assertThat(request.changeContext().correlationId()).isEqualTo("c-1");
            return handle(request);
        });

        assertThat(call("getAppInstance", token("owner")).problem()).isNull();
        assertThat(handled).hasValue(1);
    }

    @Test
    void close_rejectsNewCalls_andWaitsForThoseInFlight() {
        var answer = Promise.<Reply>promise();
        serve(request -> {
            handled.incrementAndGet();
            return answer.future();
        });
        var inFlight = send("getAppInstance", token("owner"), Map.of());
        eventually(() -> assertThat(handled).hasValue(1));

        var closed = dispatcher.close();

        eventually(() -> assertThat(send("getAppInstance", token("owner"), Map.of())
                        .toCompletionStage()
                        .toCompletableFuture())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        ReplyException.class, e -> assertThat(e.failureType()).isEqualTo(ReplyFailure.NO_HANDLERS)));
        assertThat(closed.isComplete()).isFalse();
        answer.complete(Reply.of(Json.object()));
        await(closed);
        assertThat(await(inFlight).problem()).isNull();
    }

    private static ListAppender<ILoggingEvent> log() {
        var appender = new ListAppender<ILoggingEvent>();
        appender.start();
        ((Logger) LoggerFactory.getLogger(Dispatcher.class)).addAppender(appender);
        return appender;
    }
}
