package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Runs mutations: state, events, audit record and idempotency record are committed in one transaction. */
public final class Mutations {
    private static final String FIND = """
            SELECT request_hash, location, body FROM idempotency
            WHERE principal_id = $1 AND operation = $2 AND key = $3
            """;
    private static final String INSERT = """
            INSERT INTO idempotency (principal_id, operation, key, request_hash, location, body, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;

    private final Outbox outbox;
    private final LongConsumer commitNanos;
    private final Runnable onWriteFailure;

    public Mutations(Outbox outbox) {
        this(outbox, nanos -> {}, () -> {});
    }

    /**
     * Creates an instance that is observed.
     *
     * @param commitNanos receives the time of each commit
     * @param onWriteFailure called when a change failed because it, its audit record or its evidence could not be written
     */
    Mutations(Outbox outbox, LongConsumer commitNanos, Runnable onWriteFailure) {
        this.outbox = outbox;
        this.commitNanos = commitNanos;
        this.onWriteFailure = onWriteFailure;
    }

    /**
     * Runs a mutation, or replays the stored reply of its Idempotency-Key. Most keys are new, so the key is not looked up first: a known key
     * fails to be inserted, or the work itself fails because it was done before, and then the stored reply is looked up.
     */
    public Future<Reply> run(Request request, Function<UnitOfWork, Future<Reply>> work) {
        return runOrReplay(request, work).onFailure(this::observeFailure);
    }

    private Future<Reply> runOrReplay(Request request, Function<UnitOfWork, Future<Reply>> work) {
        var key = request.call().headers().get("idempotency-key");
        if (key == null) {
            return measuredTransaction(request, work);
        }
        return measuredTransaction(request, unit -> work.apply(unit).map(reply -> {
                    storeReply(unit, request, key, reply);
                    return reply;
                }))
                .recover(failure ->
                        Failures.isRetryable(failure) ? Future.failedFuture(failure) : replayOrFail(request, failure));
    }

    /**
     * Runs a mutation that first calls an external system, outside the transaction. The reply of a known Idempotency-Key is replayed without
     * that call, because the external state may have changed since.
     */
    public <T> Future<Reply> run(
            Request request, Supplier<Future<T>> externalCall, BiFunction<UnitOfWork, T, Future<Reply>> work) {
        return findStoredReply(request)
                .compose(stored -> stored != null
                        ? Future.succeededFuture(stored)
                        : externalCall
                                .get()
                                .onFailure(this::observeFailure)
                                .compose(result -> run(request, unit -> work.apply(unit, result))));
    }

    /** A refusal is no failure, except that of an action that cannot be audited. */
    private void observeFailure(Throwable failure) {
        var refused = failure instanceof ProblemException expected
                && expected.problem().code() != ErrorCode.AUDIT_ACTION_INACTIVE;
        if (!refused) {
            onWriteFailure.run();
        }
    }

    private Future<Reply> measuredTransaction(Request request, Function<UnitOfWork, Future<Reply>> work) {
        var commitStarted = new AtomicLong();
        return outbox.transaction(changeContext(request), unit -> {
                    unit.beforeCommit(() -> commitStarted.set(System.nanoTime()));
                    return work.apply(unit);
                })
                .onSuccess(reply -> commitNanos.accept(System.nanoTime() - commitStarted.get()));
    }

    /** Adds the caller as the actor. */
    private static ChangeContext changeContext(Request request) {
        var caller = request.caller();
        return caller == null
                ? request.changeContext()
                : request.changeContext().withActor(AuditTrail.actor(caller));
    }

    /**
     * Returns the stored reply, or fails with the given failure if there is none. If the lookup itself fails, the failure of the work says
     * nothing: it may only have failed because it was done before. The caller is then asked to retry.
     */
    private Future<Reply> replayOrFail(Request request, Throwable failure) {
        return findStoredReply(request)
                .compose(stored -> stored != null ? Future.succeededFuture(stored) : Future.failedFuture(failure));
    }

    /** Returns null if the Idempotency-Key is new or missing. */
    private Future<@Nullable Reply> findStoredReply(Request request) {
        var key = request.call().headers().get("idempotency-key");
        if (key == null) {
            return Future.succeededFuture();
        }
        var lookup = Tuple.of(request.principal().id(), request.call().operationId(), key);
        return outbox.transaction(request.changeContext(), unit -> unit.query(FIND, lookup)
                .map(found -> found.size() == 0 ? null : replay(found.iterator().next(), requestHash(request.call()))));
    }

    private static void storeReply(UnitOfWork unit, Request request, String key, Reply reply) {
        unit.insert(
                INSERT,
                Tuple.of(
                        request.principal().id(),
                        request.call().operationId(),
                        key,
                        requestHash(request.call()),
                        reply.location(),
                        Buffer.buffer(reply.body()),
                        unit.now().atOffset(ZoneOffset.UTC)));
    }

    private static Reply replay(Row first, Buffer hash) {
        return first.getBuffer("request_hash").equals(hash)
                ? new Reply(null, first.getBuffer("body").getBytes(), first.getString("location"), null, null, Map.of())
                : Reply.of(Problem.of(
                        ErrorCode.IDEMPOTENCY_CONFLICT,
                        "This Idempotency-Key was used with a different request. Use a new key for a new request."));
    }

    /** Hashes the path parameters, the query parameters and the body. */
    private static Buffer requestHash(Call call) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(call.path()).forEach((name, value) -> update(digest, value));
            new TreeMap<>(call.query()).forEach((name, value) -> {
                update(digest, name);
                update(digest, value);
            });
            update(digest, call.body() == null ? null : call.body().toString());
            return Buffer.buffer(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private static void update(MessageDigest digest, @Nullable String text) {
        digest.update((text == null ? "" : text).getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }
}
