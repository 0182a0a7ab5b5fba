package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.contract.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class AdapterInvokerTest {
    private static final RuntimeAdapter UNUSED = new RuntimeAdapter() {
        @Override
        public String backend() {
            return "bare_metal";
        }

        @Override
        public Future<Outcome> deploy(DeployCommand command, Progress progress) {
            throw new AssertionError("the command is malformed");
        }

        @Override
        public Future<Outcome> delete(DeleteCommand command, Progress progress) {
            throw new AssertionError("the command is malformed");
        }
    };

    private static final Progress NO_PROGRESS = new Progress() {
        @Override
        public Future<Void> report(ProgressUpdate progressUpdate) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> reportMembers(List<MemberState> members) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> cancellation() {
            return Promise.<Void>promise().future();
        }
    };

    /** The tenant reads the reason; the message of the JDK repeats what the command contains. */
    @Test
    void invoke_failsInItsOwnWords_whenTheCommandIsMalformed() {
        var event = SampleCommands.deploy(Ids.next());
        event.payload()
                .putArray("members")
                .addObject()
                .put("member_id", "not-a-uuid")
                .put("component", "main")
                .put("generation", 1);

        var outcome = AdapterInvoker.invoke(UNUSED, SampleCommands.command(event), NO_PROGRESS);

        assertThat(outcome.result()).isEqualTo(new Failed("the command does not match its schema"));
    }
}
