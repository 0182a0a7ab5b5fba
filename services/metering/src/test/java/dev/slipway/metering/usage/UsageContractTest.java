package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Contract;
import org.junit.jupiter.api.Test;

import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The contract of every response with usage. */
class UsageContractTest {
    private static final JsonNode DOCUMENT = Contract.load().document();

    /** A reader must always be able to tell how current usage is. */
    @Test
    void responses_requireTheirTimeAndLag() {
        var required = new TreeMap<String, JsonNode>();
        DOCUMENT.path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(method -> {
                    var operation = method.getValue().path("operationId").asText();
                    var schema = method.getValue()
                            .at("/responses/200/content/application~1json/schema/$ref")
                            .asText();
                    // The tenants service has the usage of the quotas of a tenant.
                    if (path.getKey().contains("usage") && !path.getKey().contains("/tenants/") && !schema.isEmpty()) {
                        required.put(operation, DOCUMENT.at(schema.substring(1)).path("required"));
                    }
                }));

        assertThat(required)
                .containsKeys(
                        "reportUsageFacts",
                        "listOrganizationUsageLines",
                        "exportProjectUsage",
                        "checkUsageConsistency",
                        "getUsageReconciliation",
                        "getProjectUsage",
                        "getSharedRuntimeUsage",
                        "getProjectSharedRuntimeUsage");
        assertThat(required).allSatisfy((operation, fields) -> assertThat(fields)
                .as(operation)
                .extracting(JsonNode::asText)
                .contains("as_of", "lag_seconds"));
    }
}
