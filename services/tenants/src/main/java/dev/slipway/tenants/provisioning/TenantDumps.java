package dev.slipway.tenants.provisioning;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.database.TenantExporter;
import dev.slipway.tenants.provisioning.DumpStore.TenantDump;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Exports the data of a tenant to a file before it is destroyed: one line of JSON for the tenant, and one for each record. The dump does not
 * need the programs of a PostgreSQL installation, and can be read without a database.
 */
public final class TenantDumps {
    private final Vertx vertx;
    private final DumpStore store;
    private final Outbox outbox;
    private final TenantExporter exporter;
    private final Path directory;

    /** The first line of a dump. */
    private record HeaderLine(UUID tenantId, UUID orgId, String displayName, String format) {}

    /** A file that is being written. */
    private static final class DumpFile {
        private final AsyncFile file;
        private final MessageDigest digest;
        private long size;
        private long records;

        DumpFile(AsyncFile file) {
            this.file = file;
            try {
                this.digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("this JVM has no SHA-256", e);
            }
        }

        Future<Void> append(List<String> lines, int recordCount) {
            var text = Buffer.buffer(String.join("\n", lines)).appendString("\n");
            digest.update(text.getBytes());
            size += text.length();
            records += recordCount;
            return file.write(text);
        }
    }

    public TenantDumps(Vertx vertx, DumpStore store, Outbox outbox, TenantExporter exporter, Path directory) {
        this.vertx = vertx;
        this.store = store;
        this.outbox = outbox;
        this.exporter = exporter;
        this.directory = directory;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"), request.cursor(), request.limit())
                .map(page -> page.toReply(dump -> dump));
    }

    /** Returns the id of the dump of a tenant; null if none was written. */
    Future<@Nullable UUID> find(Tenant tenant) {
        return store.findByTenant(tenant.id());
    }

    /** Writes the dump and returns its id. */
    Future<UUID> write(Tenant tenant) {
        return vertx.fileSystem()
                .mkdirs(directory.toString(), "rwx------")
                .compose(ok -> deleteUnfinished(tenant))
                .compose(ok -> writeNew(tenant));
    }

    /** Deletes the files of attempts that failed or whose process ended: a dump counts only when it is recorded. */
    private Future<Void> deleteUnfinished(Tenant tenant) {
        return vertx.fileSystem()
                .readDir(directory.toString(), tenant.id() + "-.*")
                .compose(files -> Future.all(
                        files.stream().map(vertx.fileSystem()::delete).toList()))
                .mapEmpty();
    }

    private Future<UUID> writeNew(Tenant tenant) {
        var dumpId = Ids.next();
        var name = tenant.id() + "-" + dumpId + ".ndjson";
        var path = directory.resolve(name).toString();
        return vertx.fileSystem()
                .open(path, new OpenOptions().setCreateNew(true).setPerms("rw-------"))
                .map(DumpFile::new)
                .compose(file -> writeAll(tenant, file)
                        .eventually(() -> file.file.flush().eventually(file.file::close))
                        .map(file))
                .compose(file -> outbox.transaction(context(), unit -> {
                    store.insert(
                            unit,
                            tenant.orgId(),
                            new TenantDump(
                                    dumpId,
                                    tenant.id(),
                                    tenant.displayName(),
                                    name,
                                    file.size,
                                    "sha256:" + HexFormat.of().formatHex(file.digest.digest()),
                                    file.records,
                                    unit.now()));
                    return Future.succeededFuture(dumpId);
                }));
    }

    private Future<Void> writeAll(Tenant tenant, DumpFile file) {
        var header = new HeaderLine(tenant.id(), tenant.orgId(), tenant.displayName(), "slipway-tenant-dump-1");
        return file.append(List.of(Json.text(header)), 0)
                .compose(ok -> exporter.export(tenant, lines -> file.append(lines, lines.size())));
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}
