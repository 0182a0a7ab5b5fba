package dev.slipway.iam.token;

import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** Who the caller is. */
public final class TokenApi {
    private final AuthzModel model;

    public TokenApi(AuthzModel model) {
        this.model = model;
    }

    public Future<Reply> me(Request request) {
        var principal = request.principal();
        var body = Json.object();
        body.put("principal_id", principal.id().toString());
        body.put("actor_type", principal.type().text());
        body.put("display_name", principal.displayName());
        var bindings = body.putArray("bindings");
        for (var binding : model.bindingsOf(principal.id())) {
            var node = bindings.addObject();
            node.put("role", binding.role()).put("level", binding.level().text());
            if (binding.orgId() != null) {
                node.put("org_id", binding.orgId().toString());
            }
            if (binding.projectId() != null) {
                node.put("project_id", binding.projectId().toString());
            }
        }
        return Future.succeededFuture(Reply.of(body));
    }
}
