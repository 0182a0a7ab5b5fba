package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.SloStore.Evidence;
import dev.slipway.audit.status.slo.SloStore.SloVersion;
import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.audit.status.slo.domain.SloEvents;
import dev.slipway.audit.status.slo.domain.SloResult;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.ItemList;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Serves the objectives with their burn rates, and the stored results. */
public final class SloApi {
    /** The windows by their ISO 8601 names. */
    private static final Map<String, Duration> WINDOWS = windows();

    private final SloRegistry registry;
    private final SloStore store;
    private final Clock clock;

    /** The events of a window. */
    public record WindowView(
            String window,
            long good,
            long total,
            @Nullable Double ratio,
            @Nullable Double burnRate) {
        static WindowView of(String window, SloEvents events, double objective) {
            return new WindowView(window, events.good(), events.total(), events.ratio(), events.burnRate(objective));
        }
    }

    /** An objective and its current result. */
    public record SloView(
            String sloId,
            int version,
            String service,
            String title,
            String target,
            @Nullable String indicator,
            @Nullable Long thresholdMs,
            double objective,
            SloResult status,
            List<WindowView> windows,
            List<String> evidence) {}

    public SloApi(SloRegistry registry, SloStore store, Clock clock) {
        this.registry = registry;
        this.store = store;
        this.clock = clock;
    }

    private static Map<String, Duration> windows() {
        var windows = new LinkedHashMap<String, Duration>();
        windows.put("PT1H", Duration.ofHours(1));
        windows.put("PT6H", Duration.ofHours(6));
        windows.put("P1D", Duration.ofDays(1));
        windows.put("P30D", SloResult.PERIOD);
        return windows;
    }

    public Future<Reply> list(Request request) {
        return views().map(views -> ItemList.reply(views, Function.identity()));
    }

    /** Returns all objectives in the order of the registry. */
    public Future<List<SloView>> views() {
        return store.sumWindows(List.copyOf(WINDOWS.values()), clock.instant())
                .map(sums -> registry.objectives().stream()
                        .map(slo -> view(slo, sums.getOrDefault(SloVersion.of(slo), Map.of())))
                        .toList());
    }

    public Future<Reply> listEvidence(Request request) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        var sloId = request.path("slo_id");
        if (registry.objectives().stream().noneMatch(slo -> slo.id().equals(sloId))) {
            throw Problem.of(ErrorCode.NOT_FOUND, "There is no objective " + sloId + ".")
                    .asException();
        }
        return store.listEvidence(sloId, cursor, request.limit() + 1)
                .map(found -> Page.of(found, request.limit(), SloApi::cursor).toReply(Function.identity()));
    }

    private static Cursor cursor(Evidence evidence) {
        return new Cursor(evidence.windowStart(), evidence.evidenceId());
    }

    private static SloView view(Slo slo, Map<Duration, SloEvents> sums) {
        return new SloView(
                slo.id(),
                slo.version(),
                slo.service(),
                slo.title(),
                slo.target(),
                slo.indicator().name(),
                slo.indicator().thresholdMs(),
                slo.objective(),
                SloResult.of(slo, sums),
                slo.isMeasured()
                        ? WINDOWS.entrySet().stream()
                                .map(window -> WindowView.of(
                                        window.getKey(),
                                        sums.getOrDefault(window.getValue(), SloEvents.NONE),
                                        slo.objective()))
                                .toList()
                        : List.of(),
                slo.evidence());
    }
}
