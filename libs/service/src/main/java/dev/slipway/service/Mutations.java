package dev.slipway.service;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Transient;
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
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** A mutation: state, events, audit record and idempotency record, in one transaction. */
public final class Mutations {
    private static final String FIND = """
            SELECT request_hash, location, body FROM idempotency
            WHERE principal_id = $1 AND operation = $2 AND key = $3
            """;
    private static final String KEEP = """
            INSERT INTO idempotency (principal_id, operation, key, request_hash, location, body, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;

    private final Outbox outbox;

    public Mutations(Outbox outbox) {
        this.outbox = outbox;
    }

    /**
     * Runs a mutation, or answers as the first time when its Idempotency-Key has been here. Most keys have not, so none is looked up before:
     * one that has been here cannot be kept a second time, which undoes the work; or the work is refused, as what it asks for is done.
     */
    public Future<Reply> run(Request request, Function<UnitOfWork, Future<Reply>> work) {
        var key = request.call().headers().get("idempotency-key");
        if (key == null) {
            return outbox.transaction(cause(request), work);
        }
        return outbox.transaction(cause(request), unit -> work.apply(unit).map(reply -> {
                    keep(unit, request, key, reply);
                    return reply;
                }))
                .recover(failure ->
                        Transient.isOutage(failure) ? Future.failedFuture(failure) : first(request, failure));
    }

    /**
     * A mutation that has to look outside first, at what no transaction should wait for. One whose Idempotency-Key has been here is
     * answered without looking: what was there the first time may be gone.
     */
    public <T> Future<Reply> run(
            Request request, Supplier<Future<T>> look, BiFunction<UnitOfWork, T, Future<Reply>> work) {
        return before(request)
                .compose(first -> first != null
                        ? Future.succeededFuture(first)
                        : look.get().compose(seen -> run(request, unit -> work.apply(unit, seen))));
    }

    /** The request's, with who made it. */
    private static Cause cause(Request request) {
        var caller = request.caller();
        return caller == null ? request.cause() : request.cause().by(AuditTrail.actor(caller));
    }

    /** The answer that was given the first time, or what is in the way of giving one. */
    private Future<Reply> first(Request request, Throwable failure) {
        return before(request)
                .transform(found -> found.succeeded() && found.result() != null
                        ? Future.succeededFuture(found.result())
                        : Future.failedFuture(failure));
    }

    /** The answer that was given the first time; null if this is the first. */
    private Future<@Nullable Reply> before(Request request) {
        var key = request.call().headers().get("idempotency-key");
        if (key == null) {
            return Future.succeededFuture();
        }
        var asked = Tuple.of(request.principal().id(), request.call().operationId(), key);
        return outbox.transaction(request.cause(), unit -> unit.query(FIND, asked)
                .map(found -> found.size() == 0 ? null : again(found.iterator().next(), hash(request.call()))));
    }

    private static void keep(UnitOfWork unit, Request request, String key, Reply reply) {
        unit.insert(
                KEEP,
                Tuple.of(
                        request.principal().id(),
                        request.call().operationId(),
                        key,
                        hash(request.call()),
                        reply.location(),
                        Buffer.buffer(reply.body()),
                        unit.now().atOffset(ZoneOffset.UTC)));
    }

    private static Reply again(Row first, Buffer hash) {
        return first.getBuffer("request_hash").equals(hash)
                ? new Reply(null, first.getBuffer("body").getBytes(), first.getString("location"), null, null)
                : Reply.of(Problem.of(
                        ErrorCode.IDEMPOTENCY_CONFLICT,
                        "This Idempotency-Key was used with another request; use a new key for a new request."));
    }

    /** Of everything that makes the request what it is. */
    private static Buffer hash(Call call) {
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
