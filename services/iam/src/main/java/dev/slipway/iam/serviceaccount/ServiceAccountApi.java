package dev.slipway.iam.serviceaccount;

import dev.slipway.authz.Target;
import dev.slipway.contract.Ids;
import dev.slipway.iam.credential.Machines;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Objects;

/** What is special to service accounts; the rest is as with all machines. */
public final class ServiceAccountApi {
    public static final Machines.Kind KIND = new Machines.Kind(
            "iam.service_account", "project_id", "service_account_id", "The service account is deleted. Make another.");

    private final ServiceAccountStore store;
    private final Machines<ServiceAccount> machines;
    private final Clock clock;

    public ServiceAccountApi(ServiceAccountStore store, Machines<ServiceAccount> machines, Clock clock) {
        this.store = store;
        this.machines = machines;
        this.clock = clock;
    }

    public Future<Reply> create(Request request) {
        var projectId = request.projectId();
        var body = request.body();
        var actions = new ArrayList<String>();
        body.path("allowed_actions").forEach(action -> actions.add(action.asText()));
        var made = ServiceAccount.active(
                Ids.next(),
                Objects.requireNonNull(request.orgId()),
                projectId,
                body.path("slug").asText(),
                body.path("display_name").asText(),
                null,
                null,
                actions,
                request.principal().responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
        return machines.create(
                request, Target.project(projectId), made, "/api/v1/projects/" + projectId + "/service-accounts");
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.cursor(), request.limit())
                .map(page -> page.reply(ServiceAccount::json));
    }
}
