package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ForeignSchema;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.instances.lifecycle.Manifests.Known;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.ArrayList;
import java.util.List;

/** What a version makes of the config that somebody asks for: its defaults filled in, its bounds kept, its locks respected. */
public final class LaunchParameters {
    private static final String AT = "/config";

    private final Vertx vertx;

    public LaunchParameters(Vertx vertx) {
        this.vertx = vertx;
    }

    /** The config as it is launched, in JSON text; or all that is wrong with it. */
    public Future<String> resolved(Known version, String config) {
        var schema = version.launch();
        if (schema == null) {
            return Future.succeededFuture(config);
        }
        // A pattern of somebody else's, on a text of somebody else's, ends, but may take a second.
        return version.slow()
                ? vertx.executeBlocking(() -> resolve(version, schema, config))
                : Future.succeededFuture(config).map(asked -> resolve(version, schema, asked));
    }

    /** The config of another version, to be launched with this one: what is locked here is as it is here. */
    static String carriedOver(Known version, String config) {
        var carried = Json.trusted(config);
        version.manifest().path("launch").path("locked").forEach(name -> carried.remove(name.asText()));
        return Json.text(carried);
    }

    private static String resolve(Known version, ForeignSchema schema, String config) {
        var launch = version.manifest().path("launch");
        var parameters = Json.trusted(config);
        var problems = new ArrayList<FieldProblem>();
        checkLocks(launch, parameters, problems);
        fillIn(launch.path("schema"), parameters);
        schema.check(AT, parameters, problems);
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.LAUNCH_PARAMETERS_INVALID, problems)
                    .asException();
        }
        return Json.text(parameters);
    }

    private static void checkLocks(JsonNode launch, ObjectNode parameters, List<FieldProblem> problems) {
        for (var locked : launch.path("locked")) {
            var name = locked.asText();
            var value = parameters.path(name);
            if (!value.isMissingNode()
                    && !value.equals(
                            launch.path("schema").path("properties").path(name).path("default"))) {
                problems.add(new FieldProblem(
                        AT + "/" + name.replace("~", "~0").replace("/", "~1"), "is locked: leave it out"));
            }
        }
    }

    private static void fillIn(JsonNode schema, ObjectNode parameters) {
        for (var property : schema.path("properties").properties()) {
            var name = property.getKey();
            var of = property.getValue();
            if (!parameters.has(name) && of.has("default")) {
                parameters.set(name, of.get("default").deepCopy());
            }
            if (parameters.get(name) instanceof ObjectNode inner) {
                fillIn(of, inner);
            }
        }
    }
}
