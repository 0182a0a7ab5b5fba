package dev.slipway.processadapter;

import dev.slipway.adapter.AdapterHost;
import dev.slipway.telemetry.Traces;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/** Deploys the adapter. Undeploying terminates all processes; the next deployment launches them again. */
public final class ProcessAdapterVerticle extends VerticleBase {
    private final ProcessAdapterConfig config;
    private final Traces traces;
    private @Nullable AdapterHost host;

    public ProcessAdapterVerticle(ProcessAdapterConfig config, Traces traces) {
        this.config = config;
        this.traces = traces;
    }

    @Override
    public Future<?> start() {
        var adapter = new ProcessAdapter(
                vertx,
                config.home(),
                config.maxChildren(),
                config.profiles(),
                config.usageWindow(),
                config.account(),
                config.sourceCommit());
        var created = new AdapterHost(vertx, config.adapter(), traces, adapter);
        host = created;
        return created.start();
    }

    @Override
    public Future<?> stop() {
        return host == null ? Future.succeededFuture() : host.stop();
    }
}
