package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** What commands say. */
final class Payloads {
    private static final Duration TIME_ENOUGH = Duration.ofHours(1);

    private final Profile profile;
    private final Ledger ledger;

    Payloads(Profile profile, Ledger ledger) {
        this.profile = profile;
        this.ledger = ledger;
    }

    /** What every command carries. */
    ObjectNode of(Instance instance) {
        return of(instance, instance.generation());
    }

    /** Of a command that raises the generation. */
    ObjectNode next(Instance instance) {
        return of(instance, instance.generation() + 1);
    }

    ObjectNode of(Instance instance, int generation) {
        return Json.object()
                .put("org_id", instance.org().toString())
                .put("project_id", instance.project().toString())
                .put("app_slug", profile.appSlug())
                .put("app_instance_id", instance.id().toString())
                .put("generation", generation)
                .put("runtime_backend", profile.backend())
                .put("app_version", profile.plain().version())
                .put(
                        "resource_name",
                        "slipway:local:" + instance.org() + ":" + instance.project() + ":app_instance:" + instance.id())
                .put("operator_service_account_id", instance.operator().toString())
                .put("operation_id", Ids.next().toString())
                .put("attempt", 1)
                .put("deadline_at", Instant.now().plus(TIME_ENOUGH).toString());
    }

    /** Of a deploy, an upgrade or a rollback; where no member was issued before, one is. */
    ObjectNode deployment(Instance instance, Profile.App app) {
        var payload = next(instance).put("app_version", app.version());
        payload.set("manifest", app.manifest());
        payload.set("config", app.config());
        if (profile.claims().contains("members")) {
            var members = payload.putArray("members");
            ledger.read(() -> issued(instance)).forEach(member -> members.add(member.json()));
        }
        return payload;
    }

    /** Of an upgrade or a rollback. */
    ObjectNode change(Instance instance, Profile.App from, Profile.App to) {
        return deployment(instance, to).put("from_version", from.version());
    }

    ObjectNode member(Instance instance, String operation, Instance.Member member) {
        var payload = of(instance).put("operation", operation);
        payload.set("member", member.json());
        return payload;
    }

    Instance.Member issue(Instance instance) {
        var member = new Instance.Member(Ids.next(), Objects.requireNonNull(profile.component()), 1);
        ledger.change(() -> instance.members().put(member.id(), member));
        return member;
    }

    private List<Instance.Member> issued(Instance instance) {
        if (instance.members().isEmpty()) {
            var ignored = issue(instance);
        }
        return instance.members().values().stream().filter(instance::wants).toList();
    }
}
