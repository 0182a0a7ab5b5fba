package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Operation.Scope;
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
    void operation_isRefused_whenTheContractHasNone() {
        assertThatThrownBy(() -> CONTRACT.operation("launchRocket")).hasMessageContaining("launchRocket");
    }

    @Test
    void operations_areAllOfTheDocument() {
        var ids = new TreeMap<String, JsonNode>();
        CONTRACT.document()
                .path("paths")
                .forEach(path -> path.forEach(operation -> {
                    ids.put(operation.path("operationId").asText(), operation);
                }));

        assertThat(CONTRACT.operations()).extracting(Operation::id).containsExactlyElementsOf(ids.keySet());
        assertThat(ids).doesNotContainKey("");
    }

    @Test
    void everyOperation_namesAnActionAndAScope_andAnswersErrorsWithTheEnvelope() {
        for (var operation : CONTRACT.operations()) {
            var node = node(operation);
            assertThat(operation.action()).as(operation.id()).matches("[a-z_]+(\\.[a-z_]+)+");
            assertThat(node.path("x-slipway-scope").asText()).as(operation.id()).isNotEmpty();
            assertThat(node.at("/responses/default/$ref").asText())
                    .as(operation.id())
                    .isEqualTo("#/components/responses/Problem");
        }
    }

    @Test
    @Proves("1.09")
    void noOperation_isForOneKindOfArtifactOrRuntimeAlone() {
        var kinds = Pattern.compile(
                "(^|[^a-z])(oci|blob|image|container|k8s|kubernetes|rke2|slurm|ray|bare_?metal)s?([^a-z]|$)");
        for (var operation : CONTRACT.operations()) {
            var node = node(operation);
            var names = new ArrayList<String>();
            names.add(operation.path());
            names.add(operation.id().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
            node.findValues("name").forEach(name -> names.add(name.asText()));
            required(node.at("/requestBody/content/application~1json/schema"), names);

            assertThat(names).as(operation.id()).noneMatch(kinds.asPredicate());
        }
        assertThat(CONTRACT.document().at("/components/schemas/RuntimeBackend/enum"))
                .hasSizeGreaterThan(1);
    }

    /** What a caller has to send, at whatever depth. */
    private static void required(JsonNode schema, List<String> names) {
        var ref = schema.path("$ref").asText();
        var resolved = ref.isEmpty() ? schema : CONTRACT.document().at(ref.substring(1));
        resolved.path("required").forEach(name -> {
            names.add(name.asText());
            required(resolved.path("properties").path(name.asText()), names);
        });
    }

    @Test
    void everyMutation_takesAnIdempotencyKey_whereACallerIsKnown() {
        var mutations = CONTRACT.operations().stream()
                .filter(o -> o.changesSomething() && o.scope() != Scope.PUBLIC)
                .toList();

        assertThat(mutations).isNotEmpty().allSatisfy(operation -> assertThat(operation.headerParameters())
                .as(operation.id())
                .extracting(Parameter::name)
                .contains("Idempotency-Key"));
    }

    @Test
    void everyScope_fitsThePath() {
        for (var operation : CONTRACT.operations()) {
            assertThat(operation.path().contains("{project_id}"))
                    .as(operation.id())
                    .isEqualTo(operation.scope() == Scope.PROJECT);
            if (operation.scope() == Scope.ORGANIZATION) {
                assertThat(operation.path()).as(operation.id()).contains("{org_id}");
            }
        }
    }

    @Test
    void everyTenantOperation_hasAnAdminTwin_andNoOtherHas() {
        for (var operation : CONTRACT.operations()) {
            var tenants = operation.path().startsWith("/api/v1/")
                    && !operation.path().startsWith("/api/v1/admin/")
                    && List.of(Scope.PROJECT, Scope.PROJECT_HEADER, Scope.ORGANIZATION)
                            .contains(operation.scope());
            var twins = CONTRACT.operations().stream()
                    .filter(o -> o.isTwin() && o.servedBy().equals(operation.id()))
                    .toList();
            assertThat(twins).as(operation.id()).hasSize(tenants ? 1 : 0).allSatisfy(twin -> {
                assertThat(twin.path()).isEqualTo(operation.path().replace("/api/v1/", "/api/v1/admin/"));
                assertThat(twin.method()).isEqualTo(operation.method());
                assertThat(twin.action()).isEqualTo(operation.action());
                assertThat(twin.scope()).isEqualTo(operation.scope());
                assertThat(twin.successStatus()).isEqualTo(operation.successStatus());
            });
        }
        assertThat(CONTRACT.operation("adminGetAppInstance").servedBy()).isEqualTo("getAppInstance");
    }

    @Test
    void check_namesTheReason_whenATwinIsGivenNoneOrAnEmptyOne() {
        var twin = CONTRACT.operation("adminListAppInstances");

        for (var given : Arrays.asList(null, "short", "         ", "r".repeat(501))) {
            assertThat(twin.check(
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
    void check_namesTheRevision_whenItIsNone() {
        for (var operation : List.of("getMe", "listAppInstances", "adminListAppInstances")) {
            assertThat(CONTRACT.operation(operation)
                            .check(
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
    @Proves("1.74")
    void noRequest_takesSomethingToExecute() {
        for (var operation : CONTRACT.operations()) {
            assertThat(node(operation).path("requestBody").toString())
                    .as(operation.id())
                    .doesNotContainPattern("\"(command|command_line|script|shell|exec|args)\"\\s*:");
        }
        CONTRACT.document().at("/components/schemas").properties().forEach(schema -> assertThat(
                        schema.getValue().path("properties").properties())
                .as(schema.getKey())
                .noneMatch(p -> p.getKey().matches("command|command_line|script|shell|exec|args")));
    }

    @Test
    void check_namesTheField_whenItIsMissing() {
        var body = launch();
        body.remove("display_name");

        assertThat(checkCreate(body)).containsExactly(new FieldProblem("/display_name", REQUIRED));
    }

    @Test
    void check_namesTheField_whenItIsUnknown() {
        var body = launch().put("shell", "rm");

        assertThat(checkCreate(body)).containsExactly(new FieldProblem("/shell", "is not a field of this object"));
    }

    @Test
    void check_namesTheField_whenItIsOfAnotherType() {
        var body = launch().put("display_name", 7);

        assertThat(checkCreate(body)).extracting(FieldProblem::field).containsExactly("/display_name");
    }

    @Test
    void check_namesTheField_whenItIsNotAUuid() {
        for (var id : List.of("x", "", "01900000-0000-7000-8000-00000000000", "01900000000070008000000000000001")) {
            assertThat(checkCreate(launch().put("operator_service_account_id", id)))
                    .as(id)
                    .extracting(FieldProblem::field)
                    .containsExactly("/operator_service_account_id");
        }
    }

    @Test
    void check_namesEveryFault_atOnce() {
        var body = launch().put("operating_mode", "mine")
                .put("app_slug", "Not A Slug")
                .put("extra", 1);

        assertThat(checkCreate(body))
                .extracting(FieldProblem::field)
                .containsExactlyInAnyOrder("/operating_mode", "/app_slug", "/extra");
    }

    @Test
    void check_namesTheBody_whenThereIsNone() {
        assertThat(checkCreate(null)).extracting(FieldProblem::field).containsExactly("body");
    }

    @Test
    void check_names_aPathParameterThatIsMissingOrNoUuid() {
        var operation = CONTRACT.operation("createAppInstance");

        assertThat(operation.check(Map.of(), Map.of(), name -> null, launch()))
                .containsExactly(new FieldProblem("project_id", REQUIRED));
        assertThat(operation.check(Map.of("project_id", "mine"), Map.of(), name -> null, launch()))
                .containsExactly(new FieldProblem("project_id", "is not a UUID"));
    }

    @Test
    void check_names_aHeaderThatIsTooLong() {
        var operation = CONTRACT.operation("createAppInstance");

        var problems = operation.check(
                Map.of("project_id", PROJECT),
                Map.of(),
                name -> name.equals("Idempotency-Key") ? "k".repeat(129) : null,
                launch());

        assertThat(problems).extracting(FieldProblem::field).containsExactly("Idempotency-Key");
    }

    @Test
    void check_names_aQueryParameterThatIsUnknownRepeatedOrOutOfRange() {
        assertThat(checkList(Map.of("nope", List.of("1"))))
                .containsExactly(new FieldProblem("nope", "is not a parameter of this operation"));
        assertThat(checkList(Map.of("limit", List.of("1", "2"))))
                .containsExactly(new FieldProblem("limit", "is given more than once"));
        assertThat(checkList(Map.of("limit", List.of("many"))))
                .containsExactly(new FieldProblem("limit", "is not a whole number"));
        for (var wrong : List.of("0", "501", "-1")) {
            assertThat(checkList(Map.of("limit", List.of(wrong))))
                    .as(wrong)
                    .extracting(FieldProblem::field)
                    .containsExactly("limit");
        }
        assertThat(checkList(Map.of("status", List.of("asleep"))))
                .extracting(FieldProblem::field)
                .containsExactly("status");
    }

    @Test
    void check_findsNothing_whenTheRequestIsAsTheContractSays() {
        var body = launch().put("operating_mode", "tenant_dedicated").put("control_plane_scope", "project");
        body.put("operator_service_account_id", PROJECT).putObject("config").put("any", "thing");

        assertThat(checkCreate(body)).isEmpty();
        assertThat(checkList(Map.of("limit", List.of("500"), "status", List.of("running"))))
                .isEmpty();
    }

    private static ObjectNode launch() {
        return Json.object().put("app_slug", "echo").put("version", "1.0.0").put("display_name", "Mine");
    }

    private static List<FieldProblem> checkCreate(JsonNode body) {
        return CONTRACT.operation("createAppInstance")
                .check(Map.of("project_id", PROJECT), Map.of(), name -> null, body);
    }

    private static List<FieldProblem> checkList(Map<String, List<String>> query) {
        return CONTRACT.operation("listAppInstances")
                .check(Map.of("project_id", PROJECT), new HashMap<>(query), name -> null, null);
    }

    private static JsonNode node(Operation operation) {
        return CONTRACT.document()
                .path("paths")
                .path(operation.path())
                .path(operation.method().toLowerCase(java.util.Locale.ROOT));
    }
}
