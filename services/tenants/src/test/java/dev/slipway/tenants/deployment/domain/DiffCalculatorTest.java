package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static dev.slipway.tenants.deployment.domain.Bundles.bundle;
import static dev.slipway.tenants.deployment.domain.Bundles.field;
import static dev.slipway.tenants.deployment.domain.Bundles.index;
import static dev.slipway.tenants.deployment.domain.Bundles.indexed;
import static dev.slipway.tenants.deployment.domain.Bundles.object;
import static dev.slipway.tenants.deployment.domain.Bundles.reference;
import static dev.slipway.tenants.deployment.domain.Bundles.required;
import static dev.slipway.tenants.deployment.domain.Bundles.unique;
import static dev.slipway.tenants.deployment.domain.Bundles.withDefault;
import static org.assertj.core.api.Assertions.assertThat;

class DiffCalculatorTest {
    private static List<String> changes(BundleContent before, BundleContent after) {
        return DiffCalculator.diff(before, after).changes().stream()
                .map(change -> change.changeType() + " " + change.entityType() + " "
                        + (change.parentEntity() == null ? "" : change.parentEntity() + ".") + change.entityName()
                        + (change.breaking() ? " breaking" : ""))
                .toList();
    }

    private static List<String> fieldChange(FieldDefinition before, FieldDefinition after) {
        return changes(bundle(object("a", before)), bundle(object("a", after)));
    }

    @Test
    void diff_isEmpty_whenBundlesAreEqual() {
        var content = bundle(indexed("a", index("i", "x"), field("x", FieldType.TEXT)));

        assertThat(changes(content, content)).isEmpty();
    }

    @Test
    @Proves("4.31")
    void diff_listsAddedModifiedAndRemoved() {
        var before = new BundleContent(
                List.of(object("kept", field("x", FieldType.TEXT), field("gone", FieldType.TEXT)), object("dropped")),
                List.of(new NamedDocument("v1", null, "d1"), new NamedDocument("v2", null, "d2")),
                List.of(),
                List.of(),
                List.of());
        var after = new BundleContent(
                List.of(indexed("kept", index("i", "x"), required("x", FieldType.TEXT)), object("new")),
                List.of(new NamedDocument("v1", null, "changed")),
                List.of(new NamedDocument("f", null, "d")),
                List.of(new NamedDocument("p", null, "d")),
                List.of());

        var diff = DiffCalculator.diff(before, after);

        assertThat(changes(before, after))
                .containsExactly(
                        "MODIFIED FIELD kept.x breaking",
                        "REMOVED FIELD kept.gone breaking",
                        "ADDED INDEX kept.i",
                        "ADDED OBJECT new",
                        "REMOVED OBJECT dropped breaking",
                        "MODIFIED VIEW v1",
                        "REMOVED VIEW v2 breaking",
                        "ADDED FLOW f",
                        "ADDED PERMISSION p");
        assertThat(diff.summary()).isEqualTo(new DeployDiff.Summary(4, 2, 3));
        assertThat(diff.hasBreakingChanges()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "INTEGER, NUMBER, false",
        "INTEGER, TEXT, false",
        "DATE, DATETIME, false",
        "DATETIME, TEXT, false",
        "JSON, TEXT, false",
        "TEXT, INTEGER, true",
        "NUMBER, INTEGER, true",
        "DATETIME, DATE, true",
        "BOOLEAN, INTEGER, true"
    })
    void diff_isBreaking_whenTypeNarrows(FieldType from, FieldType to, boolean breaking) {
        assertThat(fieldChange(field("x", from), field("x", to)))
                .containsExactly("MODIFIED FIELD a.x" + (breaking ? " breaking" : ""));
    }

    @Test
    void diff_isBreaking_whenFieldBecomesRequiredOrUniqueOrRefersElsewhere() {
        assertThat(fieldChange(field("x", FieldType.TEXT), required("x", FieldType.TEXT)))
                .containsExactly("MODIFIED FIELD a.x breaking");
        assertThat(fieldChange(field("x", FieldType.TEXT), unique("x", FieldType.TEXT)))
                .containsExactly("MODIFIED FIELD a.x breaking");
        assertThat(fieldChange(reference("x", "b"), reference("x", "c")))
                .containsExactly("MODIFIED FIELD a.x breaking");
    }

    @Test
    void diff_isBreaking_whenAddedFieldIsRequiredWithoutDefault() {
        var empty = bundle(object("a"));

        assertThat(changes(empty, bundle(object("a", required("x", FieldType.TEXT)))))
                .containsExactly("ADDED FIELD a.x breaking");
        assertThat(changes(empty, bundle(object("a", withDefault("x", FieldType.TEXT, "y")))))
                .containsExactly("ADDED FIELD a.x");
    }
}
