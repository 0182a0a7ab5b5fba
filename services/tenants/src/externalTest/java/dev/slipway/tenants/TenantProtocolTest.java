package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static dev.slipway.tenants.ProtocolNames.toCamelCase;
import static dev.slipway.tenants.TenantsFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Parses our payloads with the schemas of the protocol, field by field, and sends its requests to our API. Needs node and npm. */
class TenantProtocolTest {
    /** The last version with the schemas of provisioning. */
    private static final String SPEC = "@objectstack/spec@16.1.0";

    private static final String REQUESTS = """
            const { TenantProvisioningRequestSchema: Request, TenantPlanSchema: Plan, TenantRegionSchema: Region } = require('@objectstack/spec/system');
            const requests = [Request.parse({ orgId: 'org' })];
            Plan.options.forEach((plan, i) => requests.push(Request.parse({
              orgId: 'org', plan, region: Region.options[i], displayName: 'Workspace ' + plan, adminEmail: 'admin@example.com' })));
            console.log(JSON.stringify(requests));
            """;

    private static final String PARSE = """
            const system = require('@objectstack/spec/system'), kernel = require('@objectstack/spec/kernel');
            const schemas = { result: system.TenantProvisioningResultSchema, usage: system.TenantUsageSchema, quotas: system.TenantQuotaSchema,
              check: system.QuotaEnforcementResultSchema, context: kernel.TenantRuntimeContextSchema, kernel: kernel.KernelContextSchema };
            const payloads = require('./payloads.json');
            const lines = [];
            const canonical = v => JSON.stringify(v, (k, x) => x && x.constructor === Object
              ? Object.fromEntries(Object.entries(x).sort()) : x);
            for (const [name, payload] of Object.entries(payloads)) {
              const parsed = schemas[name.replace(/[0-9]/g, '')].safeParse(payload);
              if (!parsed.success) { lines.push(name + ': ' + parsed.error.issues.map(i => i.path.join('.') + ' ' + i.message).join('; ')); continue; }
              for (const [field, value] of Object.entries(payload)) {
                const known = field in parsed.data;
                const same = canonical(value) === canonical(parsed.data[field]);
                const steps = field === 'steps' && value.length === parsed.data.steps.length;
                if (!known || !(same || steps)) lines.push(name + '.' + field + (known ? ' differs' : ' is unknown'));
              }
            }
            console.log(Object.keys(payloads).length + ' payloads, faults: ' + lines.join(', '));
            """;

    @TempDir
    private Path directory;

    @Test
    @Proves({"4.02", "4.04"})
    void payloads_areThoseOfTheProtocol() throws IOException, InterruptedException {
        run("npm", "install", "--no-audit", "--no-fund", "--prefix", directory.toString(), SPEC);
        Files.writeString(directory.resolve("requests.js"), REQUESTS);
        Files.writeString(directory.resolve("parse.js"), PARSE);
        var requests = Json.parseTrusted(run("node", "requests.js").strip().getBytes(StandardCharsets.UTF_8));
        var payloads = Json.object();
        try (var fixture = new TenantsFixture()) {
            var provisioning = ProtocolNames.provisioning(fixture);
            var count = 0;
            for (var request : requests) {
                var result = provisioning.provisionTenant(request);
                assertThat(result.path("plan")).isEqualTo(request.path("plan"));
                assertThat(result.path("region")).isEqualTo(request.path("region"));
                payloads.set("result" + count++, result);
                payloads.setAll(payloadsOf(fixture, result.path("tenantId").asText(), count));
            }
        }
        assertThat(requests).hasSize(4);
        Files.write(directory.resolve("payloads.json"), Json.bytes(payloads));

        assertThat(run("node", "parse.js").strip()).endsWith("20 payloads, faults:");
    }

    private static Map<String, JsonNode> payloadsOf(TenantsFixture fixture, String tenantId, int count) {
        var path = Map.of("tenant_id", tenantId);
        var usage = toCamelCase(json(fixture.call(fixture.usage::get, path, null)));
        var check = json(TenantsFixture.await(fixture.usage.check(TenantsFixture.request(
                TenantsFixture.ORG, path, Map.of("quota", "max_objects", "amount", "1000000"), null))));
        var context = json(fixture.callAs(
                fixture.caller,
                fixture.contexts::get,
                Map.of(),
                Map.of("strategy", "header"),
                Map.of("x-tenant-id", tenantId),
                null));
        return Map.of(
                "usage" + count, usage.path("usage"),
                "quotas" + count, usage.path("quotas"),
                "check" + count, toCamelCase(check),
                "context" + count, toCamelCase(context));
    }

    @CanIgnoreReturnValue
    private String run(String... command) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(!command[0].equals("node"))
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }
}
