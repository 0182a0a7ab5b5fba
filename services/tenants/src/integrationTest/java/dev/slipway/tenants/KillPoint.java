package dev.slipway.tenants;

import dev.slipway.testkit.ChildProcess;
import io.vertx.pgclient.PgConnection;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A statement at which a test kills a process: a trigger in the control database makes it wait for a lock that the test holds. Its connection
 * is terminated before it can go on, so that the transaction of the statement has no effect.
 */
public final class KillPoint implements AutoCloseable {
    private static final long LOCK = 4_711;
    private static final String FUNCTION = """
            CREATE OR REPLACE FUNCTION tenants.wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_advisory_xact_lock(%d); RETURN coalesce(NEW, OLD); END $$
            """.formatted(LOCK);
    private static final String WAITING = "pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = " + LOCK
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private final TenantsFixture fixture;
    private final String table;
    private final PgConnection holder;

    /**
     * @param event INSERT, UPDATE or DELETE
     * @param condition a condition on OLD and NEW
     */
    public KillPoint(TenantsFixture fixture, String event, String table, String condition) {
        this.fixture = fixture;
        this.table = table;
        holder = await(PgConnection.connect(fixture.vertx, fixture.settings.administratorOptions()));
        await(holder.query("SELECT pg_advisory_lock(" + LOCK + ")").execute());
        fixture.database.execute(FUNCTION);
        fixture.database.execute("CREATE TRIGGER wait_for_test BEFORE " + event + " ON tenants." + table
                + " FOR EACH ROW WHEN (" + condition + ") EXECUTE FUNCTION tenants.wait_for_test()");
    }

    /** Waits until the process is at the statement, and kills it. */
    public void kill(ChildProcess process) {
        eventually(() -> assertThat(fixture.database.query("SELECT count(*) FROM " + WAITING))
                .as("%s", process.errors())
                .isNotEqualTo("0"));
        process.kill();
        fixture.database.execute("SELECT count(pg_terminate_backend(pid)) FROM " + WAITING);
    }

    @Override
    public void close() {
        fixture.database.execute("DROP TRIGGER wait_for_test ON tenants." + table);
        await(holder.close());
    }
}
