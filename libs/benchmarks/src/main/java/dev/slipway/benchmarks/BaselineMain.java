package dev.slipway.benchmarks;

import dev.slipway.contract.Json;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the baseline server with as many event loops, connections and pipelined statements as the platform. */
public final class BaselineMain {
    private static final int EVENT_LOOPS = 2;
    private static final int POOL = 8;

    private BaselineMain() {}

    public static void main(String[] arguments)
            throws IOException, ExecutionException, TimeoutException, InterruptedException {
        var eventSizes = Arrays.stream(arguments[1].split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        var vertx =
                Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS).setPreferNativeTransport(true));
        var options = PgConnectOptions.fromUri(arguments[0])
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(256)
                .setPipeliningLimit(64);
        var reads = PgBuilder.client()
                .using(vertx)
                .connectingTo(new PgConnectOptions(options).addProperty("search_path", "instances"))
                .with(new PoolOptions().setMaxSize(POOL / 4))
                .build();
        var writes = PgBuilder.pool()
                .using(vertx)
                .connectingTo(new PgConnectOptions(options).addProperty("search_path", "baseline"))
                .with(new PoolOptions().setMaxSize(POOL))
                .build();
        var port = new int[1];
        vertx.deployVerticle(
                        () -> new BaselineServer(reads, writes, eventSizes, port),
                        new DeploymentOptions().setInstances(EVENT_LOOPS))
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        BenchOutput.print(Json.text(Json.object().put("port", port[0])));
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }
}
