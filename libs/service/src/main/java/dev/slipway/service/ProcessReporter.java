package dev.slipway.service;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BestEffortSender;
import dev.slipway.messaging.CloudEvents;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import dev.slipway.messaging.Topics;
import dev.slipway.service.ProcessReport.ComponentHealth;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;

/**
 * Reports the components of this process on {@code status.reports}: in intervals, soon after their health has changed, and before the
 * process stops. Reports are small and may be lost.
 */
public final class ProcessReporter {
    private static final long HEALTH_CHECK_MS = 2_000;
    private static final int MAX_HEALTH_LENGTH = 500;

    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final ProcessIdentity identity;
    private final String version;
    private final List<String> components;
    private final ProcessMeters meters;
    private final BestEffortSender<ProcessReport> sender;
    private final UUID processId = Ids.next();
    private final Instant startedAt;
    private final String host = hostName();
    private List<ComponentHealth> lastHealth = List.of();
    private long lastSentNanos;
    private @Nullable Long timer;

    /**
     * Creates a reporter that starts with {@link #start}.
     *
     * @param version the version of the binary
     * @param components the services of this process
     */
    public ProcessReporter(
            Vertx vertx,
            ServiceContext serviceContext,
            ProcessIdentity identity,
            String version,
            List<String> components) {
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.identity = identity;
        this.version = version;
        this.components = List.copyOf(components);
        this.meters = new ProcessMeters(serviceContext.telemetry().metrics());
        this.startedAt = serviceContext.clock().instant();
        this.sender = new BestEffortSender<>(serviceContext.kafka(), "status", batch -> batch.stream()
                .map(this::toRecord)
                .toList());
    }

    public synchronized void start() {
        report(health(), false);
        var checkMs = Math.min(HEALTH_CHECK_MS, identity.reportInterval().toMillis());
        timer = vertx.setPeriodic(checkMs, ignored -> reportIfDue());
    }

    /** Sends the last report and stops. */
    public synchronized void stop() {
        if (timer != null) {
            vertx.cancelTimer(timer);
        }
        report(
                components.stream()
                        .map(component -> new ComponentHealth(component, "unavailable", "stopped"))
                        .toList(),
                true);
        sender.stop();
    }

    /** The first few milliseconds of an interval count for the one before: a timer fires a little early or late. */
    private synchronized void reportIfDue() {
        var current = health();
        var waited = Duration.ofNanos(System.nanoTime() - lastSentNanos).plusMillis(HEALTH_CHECK_MS / 2);
        if (!current.equals(lastHealth) || waited.compareTo(identity.reportInterval()) >= 0) {
            report(current, false);
        }
    }

    private void report(List<ComponentHealth> current, boolean stopping) {
        lastHealth = current;
        lastSentNanos = System.nanoTime();
        sender.offer(new ProcessReport(
                processId,
                identity.environment(),
                host,
                version,
                identity.sourceCommit(),
                identity.artifactDigest(),
                identity.configProfile(),
                startedAt,
                stopping,
                current,
                meters.indicators(),
                meters.ages(),
                meters.refusals()));
    }

    private List<ComponentHealth> health() {
        var parts = serviceContext.health().describe().parts();
        var unhealthy = parts.entrySet().stream()
                .filter(part -> !part.getValue().ready() && !components.contains(part.getKey()))
                .map(part -> part.getKey() + " is not ready")
                .findFirst();
        return components.stream()
                .map(component -> {
                    var own = parts.get(component);
                    if (own != null && !own.ready()) {
                        return componentHealth(component, "unavailable", own.message());
                    }
                    return unhealthy
                            .map(reason -> componentHealth(component, "degraded", reason))
                            .orElseGet(
                                    () -> componentHealth(component, "ready", own == null ? "running" : own.message()));
                })
                .toList();
    }

    private static ComponentHealth componentHealth(String component, String rolloutStatus, String message) {
        var text = message.length() > MAX_HEALTH_LENGTH ? message.substring(0, MAX_HEALTH_LENGTH) : message;
        return new ComponentHealth(component, rolloutStatus, text);
    }

    private OutgoingRecord toRecord(ProcessReport report) {
        var id = Ids.next();
        var key = processId.toString();
        var event = new Envelope(
                id,
                ProcessReport.EVENT_TYPE,
                serviceContext.clock().instant(),
                1,
                id.toString(),
                Json.toObject(report));
        var headers = new HashMap<String, String>();
        CloudEvents.addHeaders(
                headers, "slipway/" + host, id, event.eventType(), key, event.occurredAt(), id.toString());
        return new OutgoingRecord(Topics.STATUS_REPORTS, key, event.toBytes(), headers);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
