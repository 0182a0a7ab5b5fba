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
    private static final PolicyKeys KEYS = RandomPolicies.KEYS;

    @Test
    @Proves("1.84")
    void widenings_nameKeyAndWidestForbiddingLevel() {
        var above = compute(
                document(PolicyLevel.GLOBAL, 3, "{'limited': 5, 'any_list': ['a', 'b', 'c']}"),
                document(PolicyLevel.PLAN, 2, "{'on': false}"),
                document(PolicyLevel.ORGANIZATION, 4, "{'any_list': ['a', 'b'], 'hosts': ['*.example.com']}"));

        var found = above.widenings(
                document(
                        PolicyLevel.PROJECT,
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
    void widenings_nameDenyingLevel_whenEntryIsHardDenied() {
        var global = new PolicyDocument(
                PolicyLevel.GLOBAL,
                PolicyDocument.PLATFORM,
                8,
                java.util.Map.of(),
                PolicyDocument.fromStored(KEYS, PolicyLevel.GLOBAL, "p", 8, Json.object(), json("{'any_list': ['a']}"))
                        .hardDenies());

        var found = compute(global).widenings(document(PolicyLevel.ORGANIZATION, 1, "{'any_list': ['a', 'b']}"));

        assertThat(found)
                .extracting(Widening::key, Widening::level, Widening::version)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("any_list", PolicyLevel.GLOBAL, 8L));
        assertThat(compute(global).allows("any_list", "a")).isFalse();
        assertThat(compute(global).allows("any_list", "b")).isTrue();
    }

    @Test
    void widenings_areEmpty_forGlobalLevel() {
        assertThat(compute()
                        .widenings(
                                document(PolicyLevel.GLOBAL, 1, "{'off': true, 'limited': 100, 'some_list': ['e']}")))
                .isEmpty();
        assertThat(compute()
                        .widenings(document(PolicyLevel.PLAN, 1, "{'off': true, 'limited': 100, 'some_list': ['e']}")))
                .hasSize(3);
    }

    @Test
    void allows_deniesAll_whenListIsEmpty_andAllowsAll_whenKeyIsAbsent() {
        var silent = compute(document(PolicyLevel.ORGANIZATION, 1, "{}"));
        var none = compute(document(PolicyLevel.ORGANIZATION, 1, "{'any_list': []}"));

        assertThat(silent.allowed("any_list")).isNull();
        assertThat(silent.allows("any_list", "anything")).isTrue();
        assertThat(none.allowed("any_list")).isEmpty();
        assertThat(none.allows("any_list", "a")).isFalse();
    }

    @Test
    void compute_replacesDefaultWithGlobalValue_andNarrowsByOtherLevels() {
        assertThat(compute(document(PolicyLevel.GLOBAL, 1, "{'limited': 100}")).limit("limited"))
                .hasValue(100);
        assertThat(compute(document(PolicyLevel.PROJECT, 1, "{'limited': 100}")).limit("limited"))
                .hasValue(7);
        assertThat(compute(document(PolicyLevel.GLOBAL, 1, "{'off': true}")).isOn("off"))
                .isTrue();
        assertThat(compute(document(PolicyLevel.PROJECT, 1, "{'off': true}")).isOn("off"))
                .isFalse();
    }

    @Test
    void allowed_keepsOrderOfMostSpecificLevel() {
        var effective = compute(
                document(PolicyLevel.ORGANIZATION, 1, "{'any_list': ['a', 'b', 'c']}"),
                document(PolicyLevel.PROJECT, 1, "{'any_list': ['c', 'a']}"));

        assertThat(effective.allowed("any_list")).containsExactly("c", "a");
    }

    @Test
    void fromStored_allowsNothing_whenValueIsNoLongerValid() {
        var effective = compute(document(
                PolicyLevel.PROJECT,
                1,
                "{'any_list': 'a', 'unlimited': -1, 'on': 'yes', 'hosts': ['*'], 'gone': [1]}"));

        assertThat(effective.allowed("any_list")).isEmpty();
        assertThat(effective.allowed("hosts")).isEmpty();
        assertThat(effective.limit("unlimited")).hasValue(0);
        assertThat(effective.isOn("on")).isFalse();
    }

    @Test
    void version_changes_whenDocumentsOrKeysChange() {
        var one = document(PolicyLevel.PROJECT, 1, "{}");
        var versions = List.of(
                compute().version(),
                compute(one).version(),
                compute(document(PolicyLevel.PROJECT, 2, "{}")).version(),
                compute(document(PolicyLevel.DEPARTMENT, 1, "{}")).version(),
                EffectivePolicy.compute(
                                PolicyKeys.of(List.of(RandomPolicies.key("x", "{'type': 'integer'}"))), List.of(one))
                        .version());

        assertThat(versions).doesNotHaveDuplicates();
        assertThat(compute(one, PolicyDocument.empty(PolicyLevel.GLOBAL, "p")).version())
                .isEqualTo(compute(one).version());
    }

    @Test
    @Proves("1.83")
    void validate_reportsAllProblems_withPointers() {
        var keys = PolicyKeys.of(List.of(
                RandomPolicies.key("list", "{'type': 'string_list', 'options': ['a']}"),
                RandomPolicies.key("number", "{'type': 'integer'}"),
                RandomPolicies.key("flag", "{'type': 'boolean', 'scope': ['global']}"),
                RandomPolicies.key("hosts", "{'type': 'host_pattern_list'}")));
        var problems = new ArrayList<FieldProblem>();

        PolicyDocument.validate(
                keys,
                PolicyLevel.PROJECT,
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
    void of_returnsNull_whenMergeRuleOrDefaultDoesNotMatchType() {
        assertThat(PolicyKey.of("k", 1, json("{'type': 'string_list', 'merge': 'union'}")))
                .isNull();
        assertThat(PolicyKey.of("k", 1, json("{'type': 'integer', 'default': 'many'}")))
                .isNull();
        assertThat(PolicyKey.of("k", 1, json("{'type': 'map'}"))).isNull();
        assertThat(requireNonNull(PolicyKey.of("k", 1, json("{'type': 'integer', 'merge': 'minimum'}")))
                        .levels())
                .containsExactly(PolicyLevel.values());
    }

    private static EffectivePolicy compute(PolicyDocument... levels) {
        return EffectivePolicy.compute(KEYS, List.of(levels));
    }

    private static PolicyDocument document(PolicyLevel policyLevel, long version, String values) {
        return PolicyDocument.fromStored(
                KEYS, policyLevel, "s-" + policyLevel.text(), version, json(values), Json.object());
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode json(String text) {
        return Json.parseStoredObject(text.replace('\'', '"'));
    }
}
