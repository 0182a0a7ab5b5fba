package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.metadata.domain.ObjectPermission;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.tenants.TenantsFixture.path;
import static org.assertj.core.api.Assertions.assertThat;

/** The data API on real databases, and in memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecordApiTest {
    private TenantsFixture fixture;
    private Tenant tenant;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
        tenant = fixture.createTenant("isolated_schema");
        fixture.deploy(tenant, TenantsFixture.accounts());
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private Reply call(
            Function<Request, Future<Reply>> operation,
            Tenant of,
            JsonNode record,
            Map<String, String> query,
            JsonNode body) {
        var path = new HashMap<>(path(of, "account"));
        if (record != null) {
            path.put("record_id", record.path("id").asText());
        }
        return fixture.callAs(fixture.caller, operation, path, query, Map.of(), body);
    }

    @CanIgnoreReturnValue
    private JsonNode create(Tenant of, String name, int amount) {
        return json(call(
                fixture.records::create,
                of,
                null,
                Map.of(),
                Json.object().put("name", name).put("amount", amount)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "shared_schema", "memory"})
    void records_areCreatedReadChangedAndDeleted(String kind) {
        var own = kind.equals("memory") ? fixture.createMemoryTenant() : fixture.createTenant(kind);
        fixture.deploy(own, TenantsFixture.accounts());
        var body = Json.object()
                .put("name", "O'Brien \"; DROP TABLE account; --")
                .put("amount", 12.5)
                .put("stage", 3)
                .put("active", true)
                .put("due", "2026-03-02")
                .put("seen_at", "2026-03-02T10:00:00Z");
        body.putObject("extra").put("a", 1);

        var created = json(call(fixture.records::create, own, null, Map.of(), body));
        var read = json(call(fixture.records::get, own, created, Map.of(), null));
        var changed = json(call(
                fixture.records::update,
                own,
                created,
                Map.of(),
                Json.object().put("stage", 4).putNull("due")));
        var deleted = json(call(fixture.records::delete, own, created, Map.of(), null));

        assertThat(read.path("name")).isEqualTo(body.path("name"));
        assertThat(read.path("amount").decimalValue()).isEqualByComparingTo("12.5");
        assertThat(read.path("extra")).isEqualTo(body.path("extra"));
        assertThat(changed.path("stage").asInt()).isEqualTo(4);
        assertThat(changed.path("due").isNull()).isTrue();
        assertThat(deleted.path("id")).isEqualTo(created.path("id"));
        assertThat(code(call(fixture.records::get, own, created, Map.of(), null)))
                .isEqualTo("record_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "memory"})
    void list_filtersSortsAndPages(String provider) {
        var own = provider.equals("memory") ? fixture.createMemoryTenant() : fixture.createTenant("isolated_schema");
        fixture.deploy(own, TenantsFixture.accounts());
        for (var i = 0; i < 7; i++) {
            create(own, "n" + i, i % 3);
        }
        json(call(fixture.records::create, own, null, Map.of(), Json.object().put("name", "without")));
        for (var sort : List.of("amount", "-amount", "name", "-created_at")) {
            var names = new ArrayList<String>();
            var query = new HashMap<>(Map.of("sort", sort, "limit", "3"));
            do {
                var page = json(call(fixture.records::list, own, null, query, null));
                page.path("items").forEach(item -> names.add(item.path("name").asText()));
                query.put("cursor", page.path("next_cursor").asText(""));
            } while (!query.get("cursor").isEmpty() && !query.get("cursor").equals("null"));
            assertThat(names).as(sort).hasSize(8).doesNotHaveDuplicates();
            if (sort.endsWith("amount")) {
                assertThat(names.get(7)).isEqualTo("without");
            }
        }
        assertThat(names(own, "{\"amount\":{\"gte\":1,\"lt\":2}}")).containsExactlyInAnyOrder("n1", "n4");
        assertThat(names(own, "{\"name\":{\"in\":[\"n0\",\"n6\",\"zz\"]}}")).containsExactlyInAnyOrder("n0", "n6");
        assertThat(names(own, "{\"name\":{\"contains\":\"ITH\"}}")).containsExactly("without");
        assertThat(names(own, "{\"amount\":{\"is_null\":true}}")).containsExactly("without");
        assertThat(names(own, "{\"amount\":null}")).containsExactly("without");
        assertThat(names(own, "{\"name\":\"' OR '1'='1\"}")).isEmpty();
    }

    private List<String> names(Tenant of, String filter) {
        var names = new ArrayList<String>();
        json(call(fixture.records::list, of, null, Map.of("filter", filter), null))
                .path("items")
                .forEach(item -> names.add(item.path("name").asText()));
        return names;
    }

    @Test
    void list_refuses_whatTheObjectDoesNotDefine() {
        for (var query : List.of(
                Map.of("filter", "{\"name\\\" OR 1=1 --\":1}"),
                Map.of("filter", "{\"tenant_id\":\"x\"}"),
                Map.of("filter", "{\"amount\":{\"gte\":\"1; DROP TABLE account\"}}"),
                Map.of("filter", "{\"amount\":{\"or\":1}}"),
                Map.of("filter", "[]"),
                Map.of("filter", "{"),
                Map.of("sort", "extra"),
                Map.of("sort", "password"))) {
            assertThat(code(call(fixture.records::list, tenant, null, query, null)))
                    .as(query.toString())
                    .isEqualTo("filter_invalid");
        }
        assertThat(code(call(fixture.records::list, tenant, null, Map.of("cursor", "e30"), null)))
                .isEqualTo("invalid_cursor");
    }

    @Test
    void create_refuses_whatTheObjectDoesNotAllow() {
        create(tenant, "taken", 1);
        assertThat(code(fixture.data(
                        fixture.records::create,
                        tenant,
                        "account",
                        Json.object().put("name", "taken"))))
                .isEqualTo("record_conflict");
        for (var body : List.of(
                Json.object().put("amount", 1),
                Json.object().putNull("name"),
                Json.object().put("name", "x").put("amount", "1"),
                Json.object().put("name", "x").put("stage", 1.5),
                Json.object().put("name", "x").put("due", "2026-02-30"),
                Json.object().put("name", "x").put("id", "y"),
                Json.object().put("name", "x").put("tenant_id", "y"))) {
            assertThat(code(fixture.data(fixture.records::create, tenant, "account", body)))
                    .as(body.toString())
                    .isEqualTo("record_invalid");
        }
        assertThat(code(fixture.data(
                        fixture.records::create,
                        tenant,
                        "account\"",
                        Json.object().put("name", "x"))))
                .isEqualTo("object_not_found");
    }

    @Test
    void create_returnsFirstRecord_whenRepeatedWithTheSameKey() {
        var headers = Map.of("idempotency-key", Ids.next().toString());
        var body = Json.object().put("name", "once " + Ids.next());
        var first = fixture.callAs(
                fixture.caller, fixture.records::create, path(tenant, "account"), Map.of(), headers, body);
        var second = fixture.callAs(
                fixture.caller, fixture.records::create, path(tenant, "account"), Map.of(), headers, body);
        var other = fixture.callAs(
                fixture.caller,
                fixture.records::create,
                path(tenant, "account"),
                Map.of(),
                headers,
                Json.object().put("name", "another"));

        assertThat(json(second).path("id")).isEqualTo(json(first).path("id"));
        assertThat(code(other)).isEqualTo("idempotency_conflict");
    }

    @Test
    void access_isNotFound_whenCallerHasNoRoleInTheOrganization() {
        var stranger = fixture.permissions.user("tenant_owner", Ids.next());

        var outcome = assertDenied(stranger, path(tenant, "account"));

        assertThat(outcome).contains("not_found");
    }

    @Test
    void access_isDenied_whenPermissionsOfTheObjectDoNotNameARoleOfTheCaller() {
        var object = new ObjectDefinition(
                "secret",
                null,
                List.of(new FieldDefinition("name", null, FieldType.TEXT, false, false, null, null)),
                List.of(),
                List.of(
                        new ObjectPermission("tenant_admin", true, false, false, false),
                        new ObjectPermission("tenant_owner", true, true, true, true)));
        fixture.deploy(tenant, object);
        var admin = fixture.permissions.user("tenant_admin", TenantsFixture.ORG);

        assertThat(code(fixture.callAs(admin, fixture.records::list, path(tenant, "secret"), Map.of(), Map.of(), null)))
                .isEqualTo("ok");
        assertThat(denial(admin, fixture.records::create, Json.object().put("name", "x")))
                .contains("object_access_denied");
    }

    private String denial(Principal principal, Function<Request, Future<Reply>> operation, JsonNode body) {
        var call = new Call("operation", "c", null, path(tenant, "secret"), Map.of(), Map.of(), body);
        var request = new Request(call, principal, null, null, TenantsFixture.context());
        return String.valueOf(await(
                Future.succeededFuture(request).compose(operation).map("ok").otherwise(Throwable::getMessage)));
    }

    private String assertDenied(Principal principal, Map<String, String> path) {
        var call = new Call("operation", "c", null, path, Map.of(), Map.of(), null);
        var request = new Request(call, principal, null, null, TenantsFixture.context());
        return String.valueOf(await(Future.succeededFuture(request)
                .compose(fixture.records::list)
                .map("ok")
                .otherwise(Throwable::getMessage)));
    }
}
