package dev.slipway.contract;

import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the contract of shared runtimes: resources, paths, tables and events of their own. */
class SharedRuntimeContractTest {
    private static final Path SCHEMAS = Path.of("../../schemas");
    private static final String OWNER_PATH = "/api/v1/orgs/{org_id}/shared-app-runtimes";
    private static final Pattern SCHEDULER =
            Pattern.compile("\\b(schedulers?|slurm|ray|jobs?|queues?|clusters?|partitions?)\\b");

    /** The operation that leads to each event, first or later. */
    private static final Map<String, String> CAUSES = Map.ofEntries(
            Map.entry("requested", "createSharedRuntime"),
            Map.entry("deploying", "createSharedRuntime"),
            Map.entry("running", "createSharedRuntime"),
            Map.entry("failed", "createSharedRuntime"),
            Map.entry("upgraded", "upgradeSharedRuntime"),
            Map.entry("deleting", "deleteSharedRuntime"),
            Map.entry("deleted", "deleteSharedRuntime"),
            Map.entry("attachment.requested", "createAttachment"),
            Map.entry("attachment.attached", "createAttachment"),
            Map.entry("attachment.updated", "updateAttachment"),
            Map.entry("attachment.failed", "deleteAttachment"),
            Map.entry("attachment.detaching", "deleteAttachment"),
            Map.entry("attachment.detached", "deleteAttachment"),
            Map.entry("worker.changed", "operateWorker"),
            Map.entry("operation.accepted", "runSharedRuntimeOperation"),
            Map.entry("operation.running", "runSharedRuntimeOperation"),
            Map.entry("operation.progressed", "runSharedRuntimeOperation"),
            Map.entry("operation.succeeded", "runSharedRuntimeOperation"),
            Map.entry("operation.failed", "runSharedRuntimeOperation"),
            Map.entry("operation.canceled", "cancelSharedRuntimeOperation"));

    private final Contract contract = Contract.load();

    @Test
    @Proves("0.26")
    void organizationOperations_areUnderThePathOfTheOrganization() {
        assertThat(contract.operations().stream().filter(operation -> operation.scope() == Scope.ORGANIZATION))
                .isNotEmpty()
                .allSatisfy(operation -> assertThat(operation.path())
                        .as(operation.id())
                        .matches("/api/v1/(admin/)?orgs/\\{org_id}(/.*)?"));
    }

    @Test
    @Proves({"0.08", "0.53", "0.54", "1.94"})
    void family_hasItsOwnPathsSchemasAndTables() throws IOException {
        var paths = new TreeSet<String>();
        contract.operations().stream()
                .filter(operation -> !operation.isAdminVariant())
                .map(ApiOperation::path)
                .filter(path -> path.startsWith(OWNER_PATH))
                .forEach(paths::add);
        assertThat(paths)
                .contains(
                        OWNER_PATH,
                        OWNER_PATH + "/{shared_runtime_id}",
                        OWNER_PATH + "/{shared_runtime_id}/attachments",
                        OWNER_PATH + "/{shared_runtime_id}/attachments/{attachment_id}");
        assertThat(Files.readString(SCHEMAS.resolve("openapi/shared-runtimes.yaml")))
                .contains("\n    SharedRuntime:\n", "\n    Attachment:\n");
        var migration = Files.readString(Path.of(
                "../../services/instances/src/main/resources/db/migration/instances/V100__shared_runtimes.sql"));
        assertThat(migration)
                .contains(
                        "CREATE TABLE shared_runtimes (",
                        "CREATE TABLE shared_runtime_attachments (",
                        "CREATE TABLE shared_runtime_workers (",
                        "CREATE TABLE shared_runtime_operations (");
    }

    @Test
    @Proves("0.48")
    void events_areInTheAsyncApi_andBelongToAnOperation() throws IOException {
        var asyncApi = Files.readString(SCHEMAS.resolve("asyncapi/slipway.yaml"));

        assertThat(events()).containsExactlyInAnyOrderElementsOf(CAUSES.keySet());
        assertThat(events()).allSatisfy(event -> assertThat(asyncApi).contains("apps.shared_runtime." + event));
        assertThat(CAUSES.values())
                .allSatisfy(
                        cause -> assertThat(contract.operation(cause).path()).startsWith(OWNER_PATH));
    }

    @Test
    @Proves("0.52")
    void family_namesNoSchedulerConcept() throws IOException {
        var contractText = Files.readString(SCHEMAS.resolve("openapi/shared-runtimes.yaml"))
                .toLowerCase(Locale.ROOT)
                .replace('_', ' ');
        assertThat(SCHEDULER.matcher(contractText).results().map(found -> found.group()))
                .isEmpty();
        for (var event : events()) {
            var schema = Files.readString(SCHEMAS.resolve("events/apps.shared_runtime." + event + ".v1.json"))
                    .toLowerCase(Locale.ROOT);
            assertThat(SCHEDULER.matcher(schema).results().map(found -> found.group()))
                    .as(event)
                    .isEmpty();
        }
    }

    private static List<String> events() throws IOException {
        try (var files = Files.list(SCHEMAS.resolve("events"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("apps.shared_runtime."))
                    .map(name -> name.substring("apps.shared_runtime.".length(), name.length() - ".v1.json".length()))
                    .toList();
        }
    }
}
