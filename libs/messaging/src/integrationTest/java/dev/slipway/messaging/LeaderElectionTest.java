package dev.slipway.messaging;

import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static dev.slipway.messaging.MessagingFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class LeaderElectionTest {
    private static MessagingFixture fixture;

    private final List<Candidate> candidates = new ArrayList<>();

    /** A process that takes part in the election. */
    private static final class Candidate implements LeaderElection.Listener {
        final LeaderElection election = new LeaderElection(fixture.vertx, fixture.options(), "outbox_election", this);
        final Promise<PgConnection> elected = Promise.promise();
        final Promise<Void> lost = Promise.promise();
        final Promise<Void> notified = Promise.promise();

        @Override
        public void onElected(PgConnection connection) {
            elected.complete(connection);
        }

        @Override
        public void onLost() {
            lost.complete();
        }

        @Override
        public void onNotified() {
            notified.tryComplete();
        }
    }

    @BeforeAll
    static void open() {
        fixture = new MessagingFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @AfterEach
    void stop() {
        candidates.forEach(candidate -> await(candidate.election.close()));
    }

    @Test
    void campaign_electsOneLeader_whenTwoTakePart() {
        var first = candidate();
        await(first.elected.future());
        var second = candidate();
        eventually(() -> assertThat(connections()).isEqualTo(2));

        assertThat(first.election.isLeader()).isTrue();
        assertThat(second.election.isLeader()).isFalse();
        assertThat(second.election.leaderConnection()).isNull();
    }

    @Test
    void campaign_succeeds_whenLeaderHasClosed() {
        var first = candidate();
        await(first.elected.future());
        await(first.election.close());

        var second = candidate();

        await(second.elected.future());
        assertThat(first.election.isLeader()).isFalse();
    }

    @Test
    void election_reportsLoss_whenConnectionIsKilled() {
        var leader = candidate();
        await(leader.elected.future());

        fixture.database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");

        await(leader.lost.future());
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(leader.election.leaderConnection()).isNull();
    }

    @Test
    void notifyLeader_reachesLeaderInAnotherProcess() {
        var leader = candidate();
        await(leader.elected.future());
        var follower = candidate();
        eventually(() -> assertThat(connections()).isEqualTo(2));

        follower.election.notifyLeader();

        await(leader.notified.future());
    }

    private Candidate candidate() {
        var candidate = new Candidate();
        candidates.add(candidate);
        fixture.vertx.getOrCreateContext().runOnContext(ignored -> candidate.election.campaign());
        return candidate;
    }

    /** Counts the candidates that have tried to take the lock. */
    private static int connections() {
        return Integer.parseInt(fixture.database.query("SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND query ~ '(pg_try_advisory_lock|LISTEN outbox_election)'"
                + " AND pid <> pg_backend_pid()"));
    }
}
