package dev.slipway.policy;

import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.ListValue;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/** Properties of every policy, checked on random policies. A failure names its seed; repeat it with -Dslipway.policy.seed=…. */
class EffectivePolicyPropertiesTest {
    private static final int WORLDS = 4_000;

    @Test
    @Proves({"1.81", "1.86"})
    void compute_allowsNothing_thatALevelForbids() {
        inManyWorlds(world -> {
            var levels = world.documents();
            var effective = EffectivePolicy.compute(RandomPolicies.KEYS, levels);
            for (var effectiveValue : effective.effectiveValues()) {
                for (var level : levels) {
                    var value = level.values().get(effectiveValue.key().id());
                    if (value != null) {
                        assertWithin(effective, effectiveValue.key(), value);
                    }
                }
            }
        });
    }

    @Test
    void compute_allowsEntry_whenAllLevelsAllowIt() {
        inManyWorlds(world -> {
            var levels = world.documents();
            var effective = EffectivePolicy.compute(RandomPolicies.KEYS, levels);
            for (var key : lists()) {
                for (var candidate : RandomPolicies.candidates(key)) {
                    assertThat(effective.allows(key.id(), candidate))
                            .as("%s %s", key.id(), candidate)
                            .isEqualTo(isAllowedByAll(key, levels, candidate));
                }
            }
        });
    }

    @Test
    void compute_isIndependentOfDocumentOrder() {
        inManyWorlds(world -> {
            var levels = world.documents();
            var one = EffectivePolicy.compute(RandomPolicies.KEYS, levels);
            var two = EffectivePolicy.compute(RandomPolicies.KEYS, world.shuffled(levels));
            assertThat(two.effectiveValues()).containsExactlyElementsOf(one.effectiveValues());
            assertThat(two.version()).isEqualTo(one.version());
        });
    }

    @Test
    @Proves({"1.82", "1.85"})
    void hardDeny_applies_regardlessOfOtherLevels() {
        inManyWorlds(world -> {
            var levels = world.documents();
            var effective = EffectivePolicy.compute(RandomPolicies.KEYS, levels);
            for (var key : lists()) {
                for (var candidate : RandomPolicies.candidates(key)) {
                    var denied = levels.stream()
                            .map(level -> level.hardDenies().get(key.id()))
                            .anyMatch(denial -> denial != null && denial.denies(candidate));
                    if (denied) {
                        assertThat(effective.allows(key.id(), candidate))
                                .as("%s %s", key.id(), candidate)
                                .isFalse();
                    }
                }
            }
        });
    }

    /** Except for the global level, which replaces the registry's default. */
    @Test
    @Proves("1.81")
    void compute_neverWidens_whenALevelIsAdded() {
        inManyWorlds(world -> {
            var levels = world.documents();
            var before = EffectivePolicy.compute(RandomPolicies.KEYS, levels);
            var policyLevel =
                    world.oneOf(List.copyOf(java.util.EnumSet.complementOf(java.util.EnumSet.of(PolicyLevel.GLOBAL))));
            var more = new ArrayList<>(levels);
            more.add(world.document(policyLevel));
            var after = EffectivePolicy.compute(RandomPolicies.KEYS, more);
            for (var effectiveValue : before.effectiveValues()) {
                if (effectiveValue.value() != null) {
                    assertWithin(after, effectiveValue.key(), effectiveValue.value());
                }
            }
        });
    }

    @Test
    @Proves("1.84")
    void widenings_areEmpty_ifAndOnlyIfTheDocumentNarrows() {
        inManyWorlds(world -> {
            var above = world.documents().stream()
                    .filter(level -> level.level().isAbove(PolicyLevel.PROJECT))
                    .toList();
            var proposed = world.document(PolicyLevel.PROJECT);
            var policy = EffectivePolicy.compute(RandomPolicies.KEYS, above);
            var found = policy.widenings(proposed);
            var all = new ArrayList<>(above);
            all.add(proposed);
            var after = EffectivePolicy.compute(RandomPolicies.KEYS, all);
            proposed.values().forEach((id, value) -> {
                var widens = found.stream().anyMatch(each -> each.key().equals(id));
                var key = java.util.Objects.requireNonNull(RandomPolicies.KEYS.find(id));
                assertThat(widens).as(id).isEqualTo(!isWithin(policy, key, value));
                if (!widens && !(value instanceof ListValue)) {
                    assertThat(after.effectiveValues())
                            .filteredOn(
                                    effectiveValue -> effectiveValue.key().id().equals(id))
                            .allSatisfy(effectiveValue ->
                                    assertThat(effectiveValue.value()).isEqualTo(value));
                }
            });
            found.forEach(each ->
                    assertThat(each.level().isAbove(PolicyLevel.PROJECT)).isTrue());
        });
    }

    @Test
    @Proves("1.86")
    void compute_namesTheMostSpecificLevelThatSetTheValue() {
        inManyWorlds(world -> {
            var levels = world.documents();
            for (var effectiveValue :
                    EffectivePolicy.compute(RandomPolicies.KEYS, levels).effectiveValues()) {
                var same = levels.stream()
                        .filter(level -> effectiveValue.value() != null
                                && effectiveValue
                                        .value()
                                        .equals(level.values()
                                                .get(effectiveValue.key().id())))
                        .map(PolicyDocument::level)
                        .max(PolicyLevel::compareTo);
                if (same.isPresent() && effectiveValue.denied() == null) {
                    assertThat(effectiveValue.setBy()).as("%s", effectiveValue).isNotNull();
                    assertThat(effectiveValue.setBy().level())
                            .as("%s", effectiveValue)
                            .isEqualTo(same.get());
                }
            }
        });
    }

    private static void inManyWorlds(Consumer<RandomPolicies> property) {
        var given = Long.getLong("slipway.policy.seed");
        var first = given == null ? System.nanoTime() : given;
        for (var i = 0; i < (given == null ? WORLDS : 1); i++) {
            try {
                property.accept(new RandomPolicies(first + i));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("in the world of -Dslipway.policy.seed=" + (first + i), e);
            }
        }
    }

    private static List<PolicyKey> lists() {
        return RandomPolicies.KEYS.byId().values().stream()
                .filter(PolicyKey::isList)
                .toList();
    }

    private static void assertWithin(EffectivePolicy narrow, PolicyKey key, PolicyValue wide) {
        if (wide instanceof Limit limit) {
            assertThat(narrow.limit(key.id()).orElseThrow()).as(key.id()).isLessThanOrEqualTo(limit.limit());
        } else if (wide instanceof Flag flag) {
            assertThat(narrow.isOn(key.id()) && !flag.on()).as(key.id()).isFalse();
        } else if (wide instanceof ListValue list) {
            for (var candidate : RandomPolicies.candidates(key)) {
                assertThat(narrow.allows(key.id(), candidate) && !list.allows(candidate))
                        .as("%s %s", key.id(), candidate)
                        .isFalse();
            }
        }
    }

    private static boolean isAllowedByAll(PolicyKey key, List<PolicyDocument> levels, String candidate) {
        var global = levels.stream()
                .anyMatch(l -> l.level() == PolicyLevel.GLOBAL && l.values().containsKey(key.id()));
        return (global || !(key.defaultValue() instanceof ListValue fallback) || fallback.allows(candidate))
                && levels.stream()
                        .allMatch(level ->
                                !(level.values().get(key.id()) instanceof ListValue list) || list.allows(candidate))
                && levels.stream().noneMatch(level -> {
                    var denial = level.hardDenies().get(key.id());
                    return denial != null && denial.denies(candidate);
                });
    }

    /** An independent implementation that checks entry by entry. */
    private static boolean isWithin(EffectivePolicy policy, PolicyKey key, PolicyValue value) {
        if (value instanceof Limit limit) {
            return policy.limit(key.id()).isEmpty()
                    || limit.limit() <= policy.limit(key.id()).getAsLong();
        }
        if (value instanceof Flag flag) {
            return !flag.on() || policy.isOn(key.id());
        }
        var effectiveValue = policy.effectiveValues().stream()
                .filter(e -> e.key().equals(key))
                .findFirst()
                .orElseThrow();
        for (var text : ((ListValue) value).texts()) {
            var one = key.listOf(java.util.Set.of(text));
            var denied = effectiveValue.denied();
            if (denied != null
                    && (denied.everything()
                            || one.without(denied.listed()).texts().isEmpty())) {
                return false;
            }
            if (effectiveValue.value() instanceof ListValue list
                    && !one.entriesNotIn(list).isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
