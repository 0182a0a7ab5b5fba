package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ContractTest {
    private static final Contract CONTRACT = Contract.load();
    private static final String PROJECT = "01900000-0000-7000-8000-000000000001";
    private static final String REQUIRED = "is required";

    @Test
    void operation_throws_whenUnknown() {
        assertThatThrownBy(() -> CONTRACT.operation("launchRocket")).hasMessageContaining("launchRocket");
    }

    @Test
    void operations_matchTheDocument() {
        var ids = new TreeMap<String, JsonNode>();
        CONTRACT.document()
                .path("paths")
                .forEach(path -> path.forEach(operation -> {
                    ids.put(operation.path("operationId").asText(), operation);
                }));

        assertThat(CONTRACT.operations()).extracting(ApiOperation::id).containsExactlyElementsOf(ids.keySet());
        assertThat(ids).doesNotContainKey("");
    }

    @Test
    void operations_declareActionScopeAndErrorEnvelope() {
        for (var apiOperation : CONTRACT.operations()) {
            var node = node(apiOperation);
            assertThat(apiOperation.action()).as(apiOperation.id()).matches("[a-z_]+(\\.[a-z_]+)+");
            assertThat(node.path("x-slipway-scope").asText())
                    .as(apiOperation.id())
                    .isNotEmpty();
            assertThat(node.at("/responses/default/$ref").asText())
                    .as(apiOperation.id())
                    .isEqualTo("#/components/responses/Problem");
        }
    }

    @Test
    @Proves("1.09")
    void operations_areIndependentOfArtifactAndRuntimeKinds() {
        var kinds = Pattern.compile(
                "(^|[^a-z])(oci|blob|image|container|k8s|kubernetes|rke2|slurm|ray|bare_?metal)s?([^a-z]|$)");
        for (var apiOperation : CONTRACT.operations()) {
            var node = node(apiOperation);
            var names = new ArrayList<String>();
            names.add(apiOperation.path());
            names.add(apiOperation.id().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
            node.findValues("name").forEach(name -> names.add(name.asText()));
            required(node.at("/requestBody/content/application~1json/schema"), names);

            assertThat(names).as(apiOperation.id()).noneMatch(kinds.asPredicate());
        }
        // Backends are entries of a registry.
        assertThat(CONTRACT.document().at("/components/schemas/RuntimeBackend").has("enum"))
                .isFalse();
    }

    /** Adds the names of all required fields, at every depth. */
    private static void required(JsonNode schema, List<String> names) {
        var ref = schema.path("$ref").asText();
        var resolved = ref.isEmpty() ? schema : CONTRACT.document().at(ref.substring(1));
        resolved.path("required").forEach(name -> {
            names.add(name.asText());
            required(resolved.path("properties").path(name.asText()), names);
        });
    }

    @Test
    void authenticatedMutations_acceptAnIdempotencyKey() {
        var mutations = CONTRACT.operations().stream()
                .filter(o -> o.isMutation() && o.scope() != Scope.PUBLIC)
                .toList();

        assertThat(mutations).isNotEmpty().allSatisfy(apiOperation -> assertThat(apiOperation.headerParameters())
                .as(apiOperation.id())
                .extracting(Parameter::name)
                .contains("Idempotency-Key"));
    }

    @Test
    void scopes_matchThePathParameters() {
        for (var apiOperation : CONTRACT.operations()) {
            assertThat(apiOperation.path().contains("{project_id}"))
                    .as(apiOperation.id())
                    .isEqualTo(apiOperation.scope() == Scope.PROJECT);
            if (apiOperation.scope() == Scope.ORGANIZATION) {
                assertThat(apiOperation.path()).as(apiOperation.id()).contains("{org_id}");
            }
        }
    }

    @Test
    void tenantOperations_haveExactlyOneAdminVariant() {
        for (var apiOperation : CONTRACT.operations()) {
            var tenants = apiOperation.path().startsWith("/api/v1/")
                    && !apiOperation.path().startsWith("/api/v1/admin/")
                    && List.of(Scope.PROJECT, Scope.PROJECT_HEADER, Scope.ORGANIZATION)
                            .contains(apiOperation.scope());
            var adminVariants = CONTRACT.operations().stream()
                    .filter(o -> o.isAdminVariant() && o.handlerId().equals(apiOperation.id()))
                    .toList();
            assertThat(adminVariants)
                    .as(apiOperation.id())
                    .hasSize(tenants ? 1 : 0)
                    .allSatisfy(adminVariant -> {
                        assertThat(adminVariant.path())
                                .isEqualTo(apiOperation.path().replace("/api/v1/", "/api/v1/admin/"));
                        assertThat(adminVariant.method()).isEqualTo(apiOperation.method());
                        assertThat(adminVariant.action()).isEqualTo(apiOperation.action());
                        assertThat(adminVariant.scope()).isEqualTo(apiOperation.scope());
                        assertThat(adminVariant.successStatus()).isEqualTo(apiOperation.successStatus());
                    });
        }
        assertThat(CONTRACT.operation("adminGetAppInstance").handlerId()).isEqualTo("getAppInstance");
    }

    @Test
    void validate_requiresABreakGlassReason_forAdminVariants() {
        var adminVariant = CONTRACT.operation("adminListAppInstances");

        for (var given : Arrays.asList(null, "short", "         ", "r".repeat(501))) {
            assertThat(adminVariant.validate(
                            Map.of("project_id", PROJECT),
                            Map.of(),
                            name -> name.equals("X-Break-Glass-Reason") ? given : null,
                            null))
                    .as(given)
                    .extracting(FieldProblem::field)
                    .containsExactly("X-Break-Glass-Reason");
        }
    }

    @Test
    void validate_rejectsTheRevision_whenNotANumber() {
        for (var operation : List.of("getMe", "listAppInstances", "adminListAppInstances")) {
            assertThat(CONTRACT.operation(operation)
                            .validate(
                                    Map.of("project_id", PROJECT),
                                    Map.of(),
                                    name -> switch (name) {
                                        case "X-Revision" -> "soon";
                                        case "X-Break-Glass-Reason" -> "a good reason";
                                        default -> null;
                                    },
                                    null))
                    .extracting(FieldProblem::field)
                    .containsExactly("X-Revision");
        }
    }

    @Test
    void requests_acceptNoExecutableCode() {
        for (var apiOperation : CONTRACT.operations()) {
            assertThat(node(apiOperation).path("requestBody").toString())
                    .as(apiOperation.id())
                    .doesNotContainPattern("\"(command|command_line|script|shell|exec|args)\"\\s*:");
        }
        CONTRACT.document().at("/components/schemas").properties().forEach(schema -> assertThat(
                        schema.getValue().path("properties").properties())
                .as(schema.getKey())
                .noneMatch(p -> p.getKey().matches("command|command_line|script|shell|exec|args")));
    }

    @Test
    void validate_namesTheField_whenMissing() {
        var body = launch();
        body.remove("display_name");

        assertThat(validateCreate(body)).containsExactly(new FieldProblem("/display_name", REQUIRED));
    }

    @Test
    void validate_namesTheField_whenUnknown() {
        var body = launch().put("shell", "rm");

        assertThat(validateCreate(body)).containsExactly(new FieldProblem("/shell", "is not a field of this object"));
    }

    @Test
    void validate_namesTheField_whenOfAnotherType() {
        var body = launch().put("display_name", 7);

        assertThat(validateCreate(body)).extracting(FieldProblem::field).containsExactly("/display_name");
    }

    @Test
    void validate_namesTheField_whenNotAUuid() {
        for (var id : List.of("x", "", "01900000-0000-7000-8000-00000000000", "01900000000070008000000000000001")) {
            assertThat(validateCreate(launch().put("operator_service_account_id", id)))
                    .as(id)
                    .extracting(FieldProblem::field)
                    .containsExactly("/operator_service_account_id");
        }
    }

    @Test
    void validate_reportsAllProblemsAtOnce() {
        var body = launch().put("operating_mode", "mine")
                .put("app_slug", "Not A Slug")
                .put("extra", 1);

        assertThat(validateCreate(body))
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder("/operating_mode", "/app_slug", "/extra");
    }

    @Test
    void validate_namesTheBody_whenMissing() {
        assertThat(validateCreate(null)).extracting(FieldProblem::field).containsExactly("body");
    }

    @Test
    void validate_namesThePathParameter_whenMissingOrNotAUuid() {
        var apiOperation = CONTRACT.operation("createAppInstance");

        assertThat(apiOperation.validate(Map.of(), Map.of(), name -> null, launch()))
                .containsExactly(new FieldProblem("project_id", REQUIRED));
        assertThat(apiOperation.validate(Map.of("project_id", "mine"), Map.of(), name -> null, launch()))
                .containsExactly(new FieldProblem("project_id", "is not a UUID"));
    }

    @Test
    void validate_namesTheHeader_whenTooLong() {
        var apiOperation = CONTRACT.operation("createAppInstance");

        var problems = apiOperation.validate(
                Map.of("project_id", PROJECT),
                Map.of(),
                name -> name.equals("Idempotency-Key") ? "k".repeat(129) : null,
                launch());

        assertThat(problems).extracting(FieldProblem::field).containsExactly("Idempotency-Key");
    }

    @Test
    void validate_namesTheQueryParameter_whenUnknownRepeatedOrOutOfRange() {
        assertThat(validateList(Map.of("nope", List.of("1"))))
                .containsExactly(new FieldProblem("nope", "is not a parameter of this operation"));
        assertThat(validateList(Map.of("limit", List.of("1", "2"))))
                .containsExactly(new FieldProblem("limit", "must be given once only"));
        assertThat(validateList(Map.of("limit", List.of("many"))))
                .containsExactly(new FieldProblem("limit", "is not an integer"));
        for (var wrong : List.of("0", "501", "-1")) {
            assertThat(validateList(Map.of("limit", List.of(wrong))))
                    .as(wrong)
                    .extracting(FieldProblem::field)
                    .containsExactly("limit");
        }
        assertThat(validateList(Map.of("status", List.of("asleep"))))
                .extracting(FieldProblem::field)
                .containsExactly("status");
    }

    @Test
    void validate_returnsNothing_whenTheRequestIsValid() {
        var body = launch().put("operating_mode", "tenant_dedicated").put("control_plane_scope", "project");
        body.put("operator_service_account_id", PROJECT).putObject("config").put("any", "thing");

        assertThat(validateCreate(body)).isEmpty();
        assertThat(validateList(Map.of("limit", List.of("500"), "status", List.of("running"))))
                .isEmpty();
    }

    private static ObjectNode launch() {
        return Json.object().put("app_slug", "echo").put("version", "1.0.0").put("display_name", "Mine");
    }

    private static List<FieldProblem> validateCreate(JsonNode body) {
        return CONTRACT.operation("createAppInstance")
                .validate(Map.of("project_id", PROJECT), Map.of(), name -> null, body);
    }

    private static List<FieldProblem> validateList(Map<String, List<String>> query) {
        return CONTRACT.operation("listAppInstances")
                .validate(Map.of("project_id", PROJECT), new HashMap<>(query), name -> null, null);
    }

    private static JsonNode node(ApiOperation apiOperation) {
        return CONTRACT.document()
                .path("paths")
                .path(apiOperation.path())
                .path(apiOperation.method().toLowerCase(java.util.Locale.ROOT));
    }
}
