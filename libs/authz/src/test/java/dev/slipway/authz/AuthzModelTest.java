package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class AuthzModelTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final AuthzModelFixture fixture = new AuthzModelFixture();

    @Test
    void age_isUnlimited_withoutHeartbeat() {
        fixture.project(Ids.next(), Ids.next());

        assertThat(fixture.model.age(NOW)).isGreaterThan(Duration.ofDays(365));
    }

    @Test
    void isConfirmedSince_isFalse_untilAHeartbeatOfThatTimeArrives() {
        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(1, NOW);

        assertThat(fixture.model.isConfirmedSince(NOW.plusSeconds(1))).isFalse();
        fixture.heartbeat(1, NOW.plusSeconds(2));
        assertThat(fixture.model.isConfirmedSince(NOW.plusSeconds(1))).isTrue();
    }

    @Test
    void age_isNotReset_whenTheHeartbeatIsAheadOfTheModel() {
        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(1, NOW);

        fixture.heartbeat(2, NOW.plusSeconds(60)); // committed and not received: it may be a revocation

        assertThat(fixture.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void age_isNotReset_whenACommitHasPartlyArrived() {
        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(1, NOW);
        fixture.apply(
                "authz.role",
                Json.object().put("role", "any").put("level", "project").put("revision", 2),
                NOW);

        fixture.heartbeat(2, NOW.plusSeconds(60)); // the revocation in the same commit has not arrived

        assertThat(fixture.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void apply_changesNothing_whenARecordIsRepeatedAfterALaterOne() {
        var user = fixture.user("issuer", "somebody");
        var binding = fixture.bindPlatform(user, "any");
        fixture.unbind(binding, user);

        fixture.apply(
                "authz.binding",
                Json.object()
                        .put("binding_id", binding.toString())
                        .put("principal_id", user.toString())
                        .put("role", "any")
                        .put("level", "platform")
                        .put("removed", false)
                        .put("revision", 2),
                NOW);

        assertThat(fixture.model.listBindings(user)).isEmpty();
    }

    @Test
    void age_isTheHeartbeatsAge_whenTheModelHasReachedItsRevision() {
        fixture.heartbeat(1, NOW);
        assertThat(fixture.model.age(NOW)).isGreaterThan(Duration.ofDays(365));

        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(1, NOW.plusSeconds(2));

        assertThat(fixture.model.age(NOW.plusSeconds(5))).isEqualTo(Duration.ofSeconds(3));
    }

    /** Otherwise changes after the backup would stay in effect, and new changes would be ignored. */
    @Test
    void age_isNotReset_whenTheIamDatabaseWasRestored() {
        fixture.project(Ids.next(), Ids.next());
        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(2, NOW.plusSeconds(2));

        fixture.heartbeat(1, NOW.plusSeconds(60));

        assertThat(fixture.model.isAheadOfIam()).isTrue();
        assertThat(fixture.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(58));
    }

    @Test
    void age_isTheHeartbeatsAge_whenItWasReadJustBeforeTheLastChange() {
        fixture.project(Ids.next(), Ids.next());
        fixture.apply("authz.revision", Json.object().put("revision", 2), NOW);

        fixture.heartbeat(1, NOW.plusSeconds(20));

        assertThat(fixture.model.isAheadOfIam()).isFalse();
        assertThat(fixture.model.age(NOW.plusSeconds(20))).isZero();
    }

    @Test
    void age_isOld_whenAnOldHeartbeatIsReadAgain() {
        fixture.project(Ids.next(), Ids.next());

        fixture.heartbeat(1, NOW.minusSeconds(3_600)); // what a compacted topic contains after a long stop

        assertThat(fixture.model.age(NOW)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void age_isZero_whenTheBrokersClockIsAhead() {
        fixture.project(Ids.next(), Ids.next());
        fixture.heartbeat(1, NOW.plusSeconds(1));

        assertThat(fixture.model.age(NOW)).isZero();
    }

    @Test
    void revision_neverDecreases_whenAnOlderRecordFollowsANewerOne() {
        fixture.project(Ids.next(), Ids.next());
        fixture.project(Ids.next(), Ids.next());

        fixture.apply(
                "authz.project",
                Json.object()
                        .put("project_id", Ids.next().toString())
                        .put("org_id", Ids.next().toString())
                        .put("revision", 1),
                NOW);

        assertThat(fixture.model.revision()).isEqualTo(2);
    }

    @Test
    void apply_ignoresUnknownRecordTypes() {
        fixture.apply("authz.group", Json.object().put("revision", 9), NOW);

        assertThat(fixture.model.revision()).isZero();
    }

    @Test
    void principal_isNull_whileInactive() {
        var user = fixture.user("issuer", "somebody");
        assertThat(fixture.model.findPrincipal("issuer", "somebody")).isNotNull();

        fixture.deactivate(user);

        assertThat(fixture.model.principal(user)).isNull();
        assertThat(fixture.model.findPrincipal("issuer", "somebody")).isNull();
    }

    @Test
    void findPrincipal_isNull_forAFormerSubject() {
        var user = fixture.user("issuer", "before");

        fixture.user(user, "issuer", "after", true);

        assertThat(fixture.model.findPrincipal("issuer", "before")).isNull();
        assertThat(fixture.model.findPrincipal("issuer", "after")).isNotNull();
    }

    @Test
    void findPrincipal_isUnchanged_whenTheFormerOwnerOfTheSubjectIsDeactivated() {
        var former = fixture.user("issuer", "somebody");
        var present = fixture.user("issuer", "somebody");

        fixture.deactivate(former);

        assertThat(fixture.model.findPrincipal("issuer", "somebody"))
                .isNotNull()
                .extracting(Principal::id)
                .isEqualTo(present);
    }

    @Test
    void principal_isNull_whenItsTypeIsUnknown() {
        var id = Ids.next().toString();

        fixture.change(
                "authz.principal",
                Json.object()
                        .put("principal_id", id)
                        .put("actor_type", "robot")
                        .put("responsible_user_id", id)
                        .put("active", true));

        assertThat(fixture.model.principal(UUID.fromString(id))).isNull();
    }

    @Test
    void bindings_areFoundAndRemoved_whenAPrincipalHasManyOfThem() {
        var user = fixture.user("issuer", "somebody");
        var projects = Stream.generate(Ids::next).limit(100).toList();
        var held = projects.stream()
                .collect(Collectors.toMap(project -> project, project -> fixture.bindProject(user, "any", project)));
        var moved = projects.get(0);
        var elsewhere = Ids.next();

        fixture.bind(requireNonNull(held.get(moved)), user, "any", "project", null, elsewhere, null, false);
        projects.subList(1, 50).forEach(project -> fixture.unbind(requireNonNull(held.get(project)), user));

        assertThat(fixture.model.listBindings(user)).hasSize(51);
        var bindingSet = requireNonNull(fixture.model.bindingIndex().bindingSet(user));
        assertThat(bindingSet.findAt(Level.PROJECT, moved)).isEmpty();
        assertThat(bindingSet.findAt(Level.PROJECT, elsewhere)).hasSize(1);
        assertThat(bindingSet.findAt(Level.PROJECT, projects.get(1))).isEmpty();
        assertThat(bindingSet.findAt(Level.PROJECT, projects.get(99))).hasSize(1);
    }

    @Test
    void runAtRevision_runsTheTask_onlyWhenTheRevisionIsReached() {
        var ran = new AtomicInteger();
        var givenUp = new AtomicInteger();
        assertThat(fixture.model.runAtRevision(2, ran::incrementAndGet)).isNotNull();
        requireNonNull(fixture.model.runAtRevision(2, givenUp::incrementAndGet)).run();

        fixture.project(Ids.next(), Ids.next());
        assertThat(ran).hasValue(0);
        fixture.project(Ids.next(), Ids.next());
        fixture.project(Ids.next(), Ids.next());

        assertThat(ran).hasValue(1);
        assertThat(givenUp).hasValue(0);
        assertThat(fixture.model.runAtRevision(3, ran::incrementAndGet)).isNotNull();
        assertThat(ran).hasValue(2);
    }
}
