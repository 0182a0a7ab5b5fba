package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.SloStore.Evidence;
import dev.slipway.audit.status.slo.SloStore.HourEvents;
import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Stores the result of every objective for each hour that is over. */
public final class EvidenceSweep {
    /** Reports of the last minutes of an hour may still arrive. */
    private static final Duration GRACE = Duration.ofMinutes(2);

    private static final Duration MAX_DELAY = Duration.ofDays(2);
    private static final Duration BUCKET_RETENTION = Duration.ofDays(35);

    private final SloRegistry registry;
    private final SloStore store;

    /** The part of a stored result that its digest covers. */
    private record EvidenceContent(
            String sloId,
            int sloVersion,
            Instant windowStart,
            Instant windowEnd,
            long good,
            long total,
            double objective,
            @Nullable Boolean met) {}

    public EvidenceSweep(SloRegistry registry, SloStore store) {
        this.registry = registry;
        this.store = store;
    }

    /** Writes the missing results and deletes events that no window contains any more. Returns how many results were missing. */
    public Future<Integer> run(UnitOfWork unit) {
        store.deleteBucketsBefore(unit, unit.now().minus(BUCKET_RETENTION));
        var until = unit.now().minus(GRACE).truncatedTo(ChronoUnit.HOURS);
        return store.findUnrecorded(unit, until.minus(MAX_DELAY), until).map(hours -> {
            hours.forEach(hour -> registry.objectives().stream()
                    .filter(slo -> slo.id().equals(hour.slo().id())
                            && slo.version() == hour.slo().version())
                    .forEach(slo -> store.insertEvidence(unit, evidence(slo, hour, unit.now()))));
            return hours.size();
        });
    }

    private static Evidence evidence(Slo slo, HourEvents hour, Instant now) {
        var ratio = hour.events().ratio();
        var content = new EvidenceContent(
                slo.id(),
                slo.version(),
                hour.windowStart(),
                hour.windowStart().plus(1, ChronoUnit.HOURS),
                hour.events().good(),
                hour.events().total(),
                slo.objective(),
                ratio == null ? null : ratio >= slo.objective());
        return new Evidence(
                Ids.next(),
                content.sloId,
                content.sloVersion,
                content.windowStart,
                content.windowEnd,
                content.good,
                content.total,
                content.objective,
                content.met,
                CanonicalJson.digest(Json.toObject(content)),
                now);
    }
}
