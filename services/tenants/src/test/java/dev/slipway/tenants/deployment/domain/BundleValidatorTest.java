package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static dev.slipway.tenants.deployment.domain.Bundles.bundle;
import static dev.slipway.tenants.deployment.domain.Bundles.field;
import static dev.slipway.tenants.deployment.domain.Bundles.index;
import static dev.slipway.tenants.deployment.domain.Bundles.indexed;
import static dev.slipway.tenants.deployment.domain.Bundles.object;
import static dev.slipway.tenants.deployment.domain.Bundles.reference;
import static dev.slipway.tenants.deployment.domain.Bundles.required;
import static dev.slipway.tenants.deployment.domain.Bundles.seed;
import static dev.slipway.tenants.deployment.domain.Bundles.unique;
import static dev.slipway.tenants.deployment.domain.Bundles.withDefault;
import static org.assertj.core.api.Assertions.assertThat;

class BundleValidatorTest {
    private static List<String> codes(BundleContent bundle, ObjectDefinition... elsewhere) {
        var result = BundleValidator.validate(bundle, List.of(elsewhere));
        assertThat(result.valid()).isEqualTo(result.errorCount() == 0);
        return result.issues().stream()
                .map(issue -> issue.path() + " " + issue.code())
                .toList();
    }

    @Test
    @Proves("4.21")
    void validate_findsNothing_whenBundleIsValid() {
        var bundle = new BundleContent(
                List.of(
                        indexed("customer", index("by_name", "name", "created_at"), required("name", FieldType.TEXT)),
                        object("invoice", reference("customer", "customer"), unique("number", FieldType.INTEGER))),
                List.of(new NamedDocument("all_customers", "customer", "d1")),
                List.of(),
                List.of(new NamedDocument("sales", null, "d2")),
                List.of(seed("customer", "c1", "name", "Ada")));

        assertThat(codes(bundle)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Customer", "1st", "a-b", "a b", "x\"; DROP TABLE y; --", "_slipway_x", ""})
    void validate_isRejected_whenNameIsNoIdentifier(String name) {
        assertThat(codes(bundle(object(name)))).containsExactly("/objects/0/name invalid_name");
        assertThat(codes(bundle(object("a", field(name, FieldType.TEXT)))))
                .containsExactly("/objects/0/fields/0/name invalid_name");
    }

    @Test
    void validate_isRejected_whenNameIsTooLong() {
        assertThat(codes(bundle(object("a".repeat(46))))).containsExactly("/objects/0/name name_too_long");
    }

    @Test
    void validate_isRejected_whenNamesCollide() {
        var twoFields = object("b", field("x", FieldType.TEXT), field("x", FieldType.JSON));

        assertThat(codes(bundle(object("a"), object("a"), twoFields)))
                .containsExactly("/objects/1/name duplicate_name", "/objects/2/fields/1/name duplicate_name");
    }

    @Test
    void validate_isRejected_whenObjectBelongsToAnotherBundle() {
        assertThat(codes(bundle(object("a")), object("a"))).containsExactly("/objects/0/name object_conflict");
    }

    @Test
    void validate_isRejected_whenAnotherBundleRefersToRemovedObject() {
        assertThat(codes(bundle(), object("invoice", reference("customer", "customer"))))
                .containsExactly("/objects object_in_use");
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "external_id", "created_at", "updated_at", "tenant_id"})
    void validate_isRejected_whenFieldIsReserved(String name) {
        assertThat(codes(bundle(object("a", field(name, FieldType.TEXT)))))
                .containsExactly("/objects/0/fields/0/name reserved_name");
    }

    @Test
    void validate_isRejected_whenReferenceHasNoTarget() {
        assertThat(codes(bundle(object("a", reference("x", null), reference("y", "b")))))
                .containsExactly(
                        "/objects/0/fields/0/reference missing_reference",
                        "/objects/0/fields/1/reference unknown_object");
    }

    @Test
    void validate_accepts_referenceToAnotherBundle() {
        assertThat(codes(bundle(object("a", reference("x", "b"))), object("b"))).isEmpty();
    }

    @Test
    void validate_isRejected_whenDefaultHasAnotherType() {
        var text = withDefault("x", FieldType.INTEGER, "1; DROP TABLE a");

        assertThat(codes(bundle(object("a", text, withDefault("y", FieldType.INTEGER, 1)))))
                .containsExactly("/objects/0/fields/0/default_value default_type");
    }

    @Test
    void validate_isRejected_whenIndexNamesUnknownOrJsonField() {
        assertThat(codes(bundle(indexed("a", index("i", "missing", "doc"), field("doc", FieldType.JSON)))))
                .containsExactly(
                        "/objects/0/indexes/0/fields/0 unknown_field", "/objects/0/indexes/0/fields/1 json_index");
    }

    @Test
    void validate_isRejected_whenSeedIsWrong() {
        var customer = object("customer", required("name", FieldType.TEXT), field("age", FieldType.INTEGER));
        var seeds = List.of(
                seed("customer", "c1", "name", "Ada"),
                seed("customer", "c1", "name", "Ada"),
                new SeedRecord("customer", "c2", Map.of("age", "old")),
                seed("customer", "c3", "nick", "A"),
                seed("other", "o1", "x", "y"));
        var bundle = new BundleContent(List.of(customer), List.of(), List.of(), List.of(), seeds);

        assertThat(codes(bundle))
                .containsExactly(
                        "/seed_data/1/external_id duplicate_record",
                        "/seed_data/2/values/age value_type",
                        "/seed_data/2/values missing_value",
                        "/seed_data/3/values/nick unknown_field",
                        "/seed_data/3/values missing_value",
                        "/seed_data/4/object unknown_object");
    }

    @Test
    void validate_warns_whenFlowsAreIncluded() {
        var flows = List.of(new NamedDocument("approve", null, "d"));

        assertThat(codes(new BundleContent(List.of(), List.of(), flows, List.of(), List.of())))
                .containsExactly("/flows flows_not_executed");
    }

    @Test
    void validate_listsAtMostAHundredFindings() {
        var objects = new ArrayList<ObjectDefinition>();
        for (var i = 0; i < 500; i++) {
            objects.add(object("Bad" + i));
        }

        assertThat(codes(bundle(objects.toArray(ObjectDefinition[]::new)))).hasSize(100);
    }
}
