package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.audit.status.slo.domain.Slo.Indicator;
import dev.slipway.audit.status.slo.domain.Slo.ReadModel;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryLifecycle;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.StreamSupport;

/** The objectives of the shared services, from schemas/registries/slos.json. */
public record SloRegistry(List<Slo> objectives) {
    private static final String RESOURCE = "/slipway/registry-slos.json";

    private record Entry(
            String id,
            int version,
            RegistryLifecycle lifecycle,
            String service,
            String title,
            String failureBehaviour,
            String target,
            double objective,
            IndicatorEntry indicator,
            List<String> components,
            List<ReadModel> readModels,
            List<String> refusals,
            List<String> evidence) {
        Slo toSlo() {
            return new Slo(
                    id,
                    version,
                    service,
                    title,
                    failureBehaviour,
                    target,
                    objective,
                    new Indicator(indicator.kind, indicator.name, indicator.thresholdMs),
                    components,
                    readModels,
                    refusals,
                    evidence);
        }
    }

    private record IndicatorEntry(
            Indicator.Kind kind,
            @Nullable String name,
            @Nullable Long thresholdMs) {}

    /** Loads the active objectives. */
    public static SloRegistry load() {
        try (var resource = SloRegistry.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException(RESOURCE + " is missing");
            }
            return new SloRegistry(StreamSupport.stream(
                            Json.parseTrusted(resource.readAllBytes()).spliterator(), false)
                    .map(entry -> Json.toRecord(entry, Entry.class))
                    .filter(entry -> entry.lifecycle == RegistryLifecycle.ACTIVE)
                    .map(Entry::toSlo)
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the objectives that processes report events of. */
    public List<Slo> measured() {
        return objectives.stream().filter(Slo::isMeasured).toList();
    }
}
