package dev.slipway.policy;

import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.Listed;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds of every policy. Each world is made of a seed; a failure names it, and -Dslipway.policy.seed=… brings it back. */
class EffectivePolicyPropertiesTest {
    private static final int WORLDS = 4_000;

    @Test
    @Proves({"1.81", "1.86"})
    void effective_allowsNothing_thatALevelDoesNotAllow() {
        inManyWorlds(world -> {
            var levels = world.levels();
            var effective = EffectivePolicy.compute(Worlds.KEYS, levels);
            for (var effect : effective.effects()) {
                for (var level : levels) {
                    var said = level.values().get(effect.key().id());
                    if (said != null) {
                        assertWithin(effective, effect.key(), said);
                    }
                }
            }
        });
    }

    @Test
    void effective_allowsWhatEveryLevelAllows_andNobodyDenies() {
        inManyWorlds(world -> {
            var levels = world.levels();
            var effective = EffectivePolicy.compute(Worlds.KEYS, levels);
            for (var key : lists()) {
                for (var asked : Worlds.questions(key)) {
                    assertThat(effective.allows(key.id(), asked))
                            .as("%s %s", key.id(), asked)
                            .isEqualTo(isAllowedByAll(key, levels, asked));
                }
            }
        });
    }

    @Test
    void effective_isTheSame_inWhateverOrderTheLevelsCome() {
        inManyWorlds(world -> {
            var levels = world.levels();
            var one = EffectivePolicy.compute(Worlds.KEYS, levels);
            var two = EffectivePolicy.compute(Worlds.KEYS, world.shuffled(levels));
            assertThat(two.effects()).containsExactlyElementsOf(one.effects());
            assertThat(two.version()).isEqualTo(one.version());
        });
    }

    @Test
    @Proves({"1.82", "1.85"})
    void hardDeny_holds_whateverTheOtherLevelsSay() {
        inManyWorlds(world -> {
            var levels = world.levels();
            var effective = EffectivePolicy.compute(Worlds.KEYS, levels);
            for (var key : lists()) {
                for (var asked : Worlds.questions(key)) {
                    var denied = levels.stream()
                            .map(level -> level.hardDenies().get(key.id()))
                            .anyMatch(denial -> denial != null && denial.denies(asked));
                    if (denied) {
                        assertThat(effective.allows(key.id(), asked))
                                .as("%s %s", key.id(), asked)
                                .isFalse();
                    }
                }
            }
        });
    }

    /** But for the global one: that replaces the registry's default, which only stands in for it. */
    @Test
    @Proves("1.81")
    void anotherLevel_neverWidens() {
        inManyWorlds(world -> {
            var levels = world.levels();
            var before = EffectivePolicy.compute(Worlds.KEYS, levels);
            var level = world.oneOf(List.copyOf(java.util.EnumSet.complementOf(java.util.EnumSet.of(Level.GLOBAL))));
            var more = new ArrayList<>(levels);
            more.add(world.document(level));
            var after = EffectivePolicy.compute(Worlds.KEYS, more);
            for (var effect : before.effects()) {
                if (effect.value() != null) {
                    assertWithin(after, effect.key(), effect.value());
                }
            }
        });
    }

    @Test
    @Proves("1.84")
    void document_thatWidens_isFound_andOneThatDoesNotIsTheEffectOfItself() {
        inManyWorlds(world -> {
            var above = world.levels().stream()
                    .filter(level -> level.level().isAbove(Level.PROJECT))
                    .toList();
            var proposed = world.document(Level.PROJECT);
            var policy = EffectivePolicy.compute(Worlds.KEYS, above);
            var found = policy.widenings(proposed);
            var all = new ArrayList<>(above);
            all.add(proposed);
            var after = EffectivePolicy.compute(Worlds.KEYS, all);
            proposed.values().forEach((id, said) -> {
                var widens = found.stream().anyMatch(each -> each.key().equals(id));
                var key = java.util.Objects.requireNonNull(Worlds.KEYS.find(id));
                assertThat(widens).as(id).isEqualTo(!isWithin(policy, key, said));
                if (!widens && !(said instanceof Listed)) {
                    assertThat(after.effects())
                            .filteredOn(effect -> effect.key().id().equals(id))
                            .allSatisfy(effect -> assertThat(effect.value()).isEqualTo(said));
                }
            });
            found.forEach(
                    each -> assertThat(each.level().isAbove(Level.PROJECT)).isTrue());
        });
    }

    @Test
    @Proves("1.86")
    void effective_namesTheMostSpecificLevel_thatSaidTheValue() {
        inManyWorlds(world -> {
            var levels = world.levels();
            for (var effect : EffectivePolicy.compute(Worlds.KEYS, levels).effects()) {
                var same = levels.stream()
                        .filter(level -> effect.value() != null
                                && effect.value()
                                        .equals(level.values().get(effect.key().id())))
                        .map(PolicyDocument::level)
                        .max(Level::compareTo);
                if (same.isPresent() && effect.denied() == null) {
                    assertThat(effect.setBy()).as("%s", effect).isNotNull();
                    assertThat(effect.setBy().level()).as("%s", effect).isEqualTo(same.get());
                }
            }
        });
    }

    private static void inManyWorlds(Consumer<Worlds> property) {
        var given = Long.getLong("slipway.policy.seed");
        var first = given == null ? System.nanoTime() : given;
        for (var i = 0; i < (given == null ? WORLDS : 1); i++) {
            try {
                property.accept(new Worlds(first + i));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("in the world of -Dslipway.policy.seed=" + (first + i), e);
            }
        }
    }

    private static List<PolicyKey> lists() {
        return Worlds.KEYS.byId().values().stream().filter(PolicyKey::isList).toList();
    }

    private static void assertWithin(EffectivePolicy narrow, PolicyKey key, PolicyValue wide) {
        if (wide instanceof Limit limit) {
            assertThat(narrow.limit(key.id()).orElseThrow()).as(key.id()).isLessThanOrEqualTo(limit.limit());
        } else if (wide instanceof Flag flag) {
            assertThat(narrow.isOn(key.id()) && !flag.on()).as(key.id()).isFalse();
        } else if (wide instanceof Listed list) {
            for (var asked : Worlds.questions(key)) {
                assertThat(narrow.allows(key.id(), asked) && !list.allows(asked))
                        .as("%s %s", key.id(), asked)
                        .isFalse();
            }
        }
    }

    private static boolean isAllowedByAll(PolicyKey key, List<PolicyDocument> levels, String asked) {
        var global = levels.stream()
                .anyMatch(l -> l.level() == Level.GLOBAL && l.values().containsKey(key.id()));
        return (global || !(key.fallback() instanceof Listed fallback) || fallback.allows(asked))
                && levels.stream()
                        .allMatch(level -> !(level.values().get(key.id()) instanceof Listed list) || list.allows(asked))
                && levels.stream().noneMatch(level -> {
                    var denial = level.hardDenies().get(key.id());
                    return denial != null && denial.denies(asked);
                });
    }

    /** Said in another way than the production code says it: entry by entry. */
    private static boolean isWithin(EffectivePolicy policy, PolicyKey key, PolicyValue said) {
        if (said instanceof Limit limit) {
            return policy.limit(key.id()).isEmpty()
                    || limit.limit() <= policy.limit(key.id()).getAsLong();
        }
        if (said instanceof Flag flag) {
            return !flag.on() || policy.isOn(key.id());
        }
        var effect = policy.effects().stream()
                .filter(e -> e.key().equals(key))
                .findFirst()
                .orElseThrow();
        for (var text : ((Listed) said).texts()) {
            var one = key.listed(java.util.Set.of(text));
            var denied = effect.denied();
            if (denied != null
                    && (denied.everything()
                            || one.without(denied.listed()).texts().isEmpty())) {
                return false;
            }
            if (effect.value() instanceof Listed list && !one.beyond(list).isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
