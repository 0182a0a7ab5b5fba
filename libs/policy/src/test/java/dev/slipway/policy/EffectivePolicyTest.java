package dev.slipway.policy;

import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.policy.EffectivePolicy.Widening;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class EffectivePolicyTest {
    private static final PolicyKeys KEYS = Worlds.KEYS;

    @Test
    @Proves("1.84")
    void widenings_nameTheWidestLevelAndTheKey_thatForbid() {
        var above = compute(
                document(Level.GLOBAL, 3, "{'limited': 5, 'any_list': ['a', 'b', 'c']}"),
                document(Level.PLAN, 2, "{'on': false}"),
                document(Level.ORGANIZATION, 4, "{'any_list': ['a', 'b'], 'hosts': ['*.example.com']}"));

        var found = above.widenings(
                document(
                        Level.PROJECT,
                        1,
                        "{'limited': 6, 'any_list': ['a', 'c'], 'on': true, 'hosts': ['a.b.example.com'], 'some_list': ['d'], 'unlimited': 9}"));

        assertThat(found)
                .extracting(w -> w.key() + " " + w.level().text() + " " + w.version())
                .containsExactly(
                        "any_list organization 4",
                        "hosts organization 4",
                        "limited global 3",
                        "on plan 2",
                        "some_list global 0");
    }

    @Test
    @Proves({"1.82", "1.84"})
    void widenings_nameTheDenier_whenSomethingIsDeniedForGood() {
        var global = new PolicyDocument(
                Level.GLOBAL,
                PolicyDocument.PLATFORM,
                8,
                java.util.Map.of(),
                PolicyDocument.stored(KEYS, Level.GLOBAL, "p", 8, Json.object(), json("{'any_list': ['a']}"))
                        .hardDenies());

        var found = compute(global).widenings(document(Level.ORGANIZATION, 1, "{'any_list': ['a', 'b']}"));

        assertThat(found)
                .extracting(Widening::key, Widening::level, Widening::version)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("any_list", Level.GLOBAL, 8L));
        assertThat(compute(global).allows("any_list", "a")).isFalse();
        assertThat(compute(global).allows("any_list", "b")).isTrue();
    }

    @Test
    void global_widensNothing_forItReplacesTheDefault() {
        assertThat(compute().widenings(document(Level.GLOBAL, 1, "{'off': true, 'limited': 100, 'some_list': ['e']}")))
                .isEmpty();
        assertThat(compute().widenings(document(Level.PLAN, 1, "{'off': true, 'limited': 100, 'some_list': ['e']}")))
                .hasSize(3);
    }

    @Test
    void emptyList_isNone_andAnAbsentOneIsNoOpinion() {
        var silent = compute(document(Level.ORGANIZATION, 1, "{}"));
        var none = compute(document(Level.ORGANIZATION, 1, "{'any_list': []}"));

        assertThat(silent.allowed("any_list")).isNull();
        assertThat(silent.allows("any_list", "anything")).isTrue();
        assertThat(none.allowed("any_list")).isEmpty();
        assertThat(none.allows("any_list", "a")).isFalse();
    }

    @Test
    void global_replacesTheDefault_andOthersNarrowIt() {
        assertThat(compute(document(Level.GLOBAL, 1, "{'limited': 100}")).limit("limited"))
                .hasValue(100);
        assertThat(compute(document(Level.PROJECT, 1, "{'limited': 100}")).limit("limited"))
                .hasValue(7);
        assertThat(compute(document(Level.GLOBAL, 1, "{'off': true}")).isOn("off"))
                .isTrue();
        assertThat(compute(document(Level.PROJECT, 1, "{'off': true}")).isOn("off"))
                .isFalse();
    }

    @Test
    void list_isInTheOrderOfTheMostSpecificLevel() {
        var effective = compute(
                document(Level.ORGANIZATION, 1, "{'any_list': ['a', 'b', 'c']}"),
                document(Level.PROJECT, 1, "{'any_list': ['c', 'a']}"));

        assertThat(effective.allowed("any_list")).containsExactly("c", "a");
    }

    @Test
    void storedValue_allowsNothing_whenItIsNoLongerUnderstood() {
        var effective = compute(document(
                Level.PROJECT, 1, "{'any_list': 'a', 'unlimited': -1, 'on': 'yes', 'hosts': ['*'], 'gone': [1]}"));

        assertThat(effective.allowed("any_list")).isEmpty();
        assertThat(effective.allowed("hosts")).isEmpty();
        assertThat(effective.limit("unlimited")).hasValue(0);
        assertThat(effective.isOn("on")).isFalse();
    }

    @Test
    void version_changesWithEveryDocumentAndItsVersion_andWithTheKeys() {
        var one = document(Level.PROJECT, 1, "{}");
        var versions = List.of(
                compute().version(),
                compute(one).version(),
                compute(document(Level.PROJECT, 2, "{}")).version(),
                compute(document(Level.DEPARTMENT, 1, "{}")).version(),
                EffectivePolicy.compute(PolicyKeys.of(List.of(Worlds.key("x", "{'type': 'integer'}"))), List.of(one))
                        .version());

        assertThat(versions).doesNotHaveDuplicates();
        assertThat(compute(one, PolicyDocument.silent(Level.GLOBAL, "p")).version())
                .isEqualTo(compute(one).version());
    }

    @Test
    @Proves("1.83")
    void check_pointsAtEverythingThatIsWrong() {
        var keys = PolicyKeys.of(List.of(
                Worlds.key("list", "{'type': 'string_list', 'options': ['a']}"),
                Worlds.key("number", "{'type': 'integer'}"),
                Worlds.key("flag", "{'type': 'boolean', 'scope': ['global']}"),
                Worlds.key("hosts", "{'type': 'host_pattern_list'}")));
        var problems = new ArrayList<FieldProblem>();

        PolicyDocument.check(
                keys,
                Level.PROJECT,
                json("{'list': ['b'], 'number': 1.5, 'flag': true, 'hosts': ['*'], 'a/b~c': 1}"),
                "/values",
                json("{'number': [1], 'list': ['*'], 'hosts': ['*', 'a.com'], 'nope': []}"),
                problems);

        assertThat(problems)
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder(
                        "/values/list",
                        "/values/number",
                        "/values/flag",
                        "/values/hosts",
                        "/values/a~1b~0c",
                        "/hard_denies/number",
                        "/hard_denies/hosts",
                        "/hard_denies/nope");
    }

    @Test
    void key_isNone_whenItsMergeRuleWouldWidenOrItsDefaultIsNotOfItsType() {
        assertThat(PolicyKey.of("k", 1, json("{'type': 'string_list', 'merge': 'union'}")))
                .isNull();
        assertThat(PolicyKey.of("k", 1, json("{'type': 'integer', 'default': 'many'}")))
                .isNull();
        assertThat(PolicyKey.of("k", 1, json("{'type': 'map'}"))).isNull();
        assertThat(requireNonNull(PolicyKey.of("k", 1, json("{'type': 'integer', 'merge': 'minimum'}")))
                        .levels())
                .containsExactly(Level.values());
    }

    private static EffectivePolicy compute(PolicyDocument... levels) {
        return EffectivePolicy.compute(KEYS, List.of(levels));
    }

    private static PolicyDocument document(Level level, long version, String values) {
        return PolicyDocument.stored(KEYS, level, "s-" + level.text(), version, json(values), Json.object());
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode json(String text) {
        return Json.trusted(text.replace('\'', '"'));
    }
}
