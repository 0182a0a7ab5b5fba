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

    private final World world = new World();

    @Test
    void age_isWithoutEnd_whenNoHeartbeatWasHeard() {
        world.project(Ids.next(), Ids.next());

        assertThat(world.model.age(NOW)).isGreaterThan(Duration.ofDays(365));
    }

    @Test
    void age_staysAsItWas_whenTheHeartbeatIsAheadOfTheModel() {
        world.project(Ids.next(), Ids.next());
        world.heartbeat(1, NOW);

        world.heartbeat(2, NOW.plusSeconds(60)); // committed, and not here: perhaps a revocation

        assertThat(world.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void age_staysAsItWas_whenOnlyAPartOfTheCommitIsHere() {
        world.project(Ids.next(), Ids.next());
        world.heartbeat(1, NOW);
        world.apply(
                "authz.role",
                Json.object().put("role", "any").put("level", "project").put("revision", 2),
                NOW);

        world.heartbeat(2, NOW.plusSeconds(60)); // the revocation in the same commit is still on its way

        assertThat(world.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void apply_changesNothing_whenARecordComesAgainAfterALaterOne() {
        var user = world.user("issuer", "somebody");
        var binding = world.bindPlatform(user, "any");
        world.unbind(binding, user);

        world.apply(
                "authz.binding",
                Json.object()
                        .put("binding_id", binding.toString())
                        .put("principal_id", user.toString())
                        .put("role", "any")
                        .put("level", "platform")
                        .put("removed", false)
                        .put("revision", 2),
                NOW);

        assertThat(world.model.bindingsOf(user)).isEmpty();
    }

    @Test
    void age_isThatOfTheHeartbeat_whenTheModelHasReachedIt() {
        world.heartbeat(1, NOW);
        assertThat(world.model.age(NOW)).isGreaterThan(Duration.ofDays(365));

        world.project(Ids.next(), Ids.next());
        world.heartbeat(1, NOW.plusSeconds(2));

        assertThat(world.model.age(NOW.plusSeconds(5))).isEqualTo(Duration.ofSeconds(3));
    }

    /** What came after the backup would stand for ever, and what is changed from now on be passed over. */
    @Test
    void age_staysAsItWas_whenIamHasForgottenWhatItTold() {
        world.project(Ids.next(), Ids.next());
        world.project(Ids.next(), Ids.next());
        world.heartbeat(2, NOW.plusSeconds(2));

        world.heartbeat(1, NOW.plusSeconds(60));

        assertThat(world.model.isAheadOfIam()).isTrue();
        assertThat(world.model.age(NOW.plusSeconds(60))).isEqualTo(Duration.ofSeconds(58));
    }

    @Test
    void age_isThatOfTheHeartbeat_whenItWasReadJustBeforeTheLastChange() {
        world.project(Ids.next(), Ids.next());
        world.apply("authz.revision", Json.object().put("revision", 2), NOW);

        world.heartbeat(1, NOW.plusSeconds(20));

        assertThat(world.model.isAheadOfIam()).isFalse();
        assertThat(world.model.age(NOW.plusSeconds(20))).isZero();
    }

    @Test
    void age_isOld_whenAnOldHeartbeatIsReadAgain() {
        world.project(Ids.next(), Ids.next());

        world.heartbeat(1, NOW.minusSeconds(3_600)); // what a compacted topic holds after a long stop

        assertThat(world.model.age(NOW)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void age_isZero_whenTheBrokersClockIsAhead() {
        world.project(Ids.next(), Ids.next());
        world.heartbeat(1, NOW.plusSeconds(1));

        assertThat(world.model.age(NOW)).isZero();
    }

    @Test
    void revision_neverGoesBack_whenAnOlderRecordComesAfterANewerOne() {
        world.project(Ids.next(), Ids.next());
        world.project(Ids.next(), Ids.next());

        world.apply(
                "authz.project",
                Json.object()
                        .put("project_id", Ids.next().toString())
                        .put("org_id", Ids.next().toString())
                        .put("revision", 1),
                NOW);

        assertThat(world.model.revision()).isEqualTo(2);
    }

    @Test
    void apply_passesOver_whatOnlyANewerVersionKnows() {
        world.apply("authz.group", Json.object().put("revision", 9), NOW);

        assertThat(world.model.revision()).isZero();
    }

    @Test
    void principal_isGone_whenInactive_andBackWhenActiveAgain() {
        var user = world.user("issuer", "somebody");
        assertThat(world.model.principalOf("issuer", "somebody")).isNotNull();

        world.deactivate(user);

        assertThat(world.model.principal(user)).isNull();
        assertThat(world.model.principalOf("issuer", "somebody")).isNull();
    }

    @Test
    void principal_isNotFoundByItsOldSubject_whenThatChanged() {
        var user = world.user("issuer", "before");

        world.user(user, "issuer", "after", true);

        assertThat(world.model.principalOf("issuer", "before")).isNull();
        assertThat(world.model.principalOf("issuer", "after")).isNotNull();
    }

    @Test
    void principal_keepsASubject_whenItsFormerOwnerIsDeactivated() {
        var former = world.user("issuer", "somebody");
        var present = world.user("issuer", "somebody");

        world.deactivate(former);

        assertThat(world.model.principalOf("issuer", "somebody"))
                .isNotNull()
                .extracting(Principal::id)
                .isEqualTo(present);
    }

    @Test
    void principal_isNobody_whenOnlyANewerVersionKnowsItsKind() {
        var id = Ids.next().toString();

        world.change(
                "authz.principal",
                Json.object()
                        .put("principal_id", id)
                        .put("actor_type", "robot")
                        .put("responsible_user_id", id)
                        .put("active", true));

        assertThat(world.model.principal(UUID.fromString(id))).isNull();
    }

    @Test
    void bindings_areAllFoundAndRemoved_howeverManyOnePrincipalHolds() {
        var user = world.user("issuer", "somebody");
        var projects = Stream.generate(Ids::next).limit(100).toList();
        var held = projects.stream()
                .collect(Collectors.toMap(project -> project, project -> world.bindProject(user, "any", project)));
        var moved = projects.get(0);
        var elsewhere = Ids.next();

        world.bind(requireNonNull(held.get(moved)), user, "any", "project", null, elsewhere, null, false);
        projects.subList(1, 50).forEach(project -> world.unbind(requireNonNull(held.get(project)), user));

        assertThat(world.model.bindingsOf(user)).hasSize(51);
        var holdings = requireNonNull(world.model.grants().holdings(user));
        assertThat(holdings.at(Level.PROJECT, moved)).isEmpty();
        assertThat(holdings.at(Level.PROJECT, elsewhere)).hasSize(1);
        assertThat(holdings.at(Level.PROJECT, projects.get(1))).isEmpty();
        assertThat(holdings.at(Level.PROJECT, projects.get(99))).hasSize(1);
    }

    @Test
    void whenAt_runsOnceTheRevisionIsReached_andNotBefore() {
        var ran = new AtomicInteger();
        var givenUp = new AtomicInteger();
        assertThat(world.model.whenAt(2, ran::incrementAndGet)).isNotNull();
        requireNonNull(world.model.whenAt(2, givenUp::incrementAndGet)).run();

        world.project(Ids.next(), Ids.next());
        assertThat(ran).hasValue(0);
        world.project(Ids.next(), Ids.next());
        world.project(Ids.next(), Ids.next());

        assertThat(ran).hasValue(1);
        assertThat(givenUp).hasValue(0);
        assertThat(world.model.whenAt(3, ran::incrementAndGet)).isNotNull();
        assertThat(ran).hasValue(2);
    }
}
