package dev.slipway.iam.tenancy.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.PlaceStore;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The operations on role bindings: of a project, of an organization, of the platform, as the path says. */
public final class BindingApi {
    private static final String ACTION = "iam.binding.write";

    private final BindingStore store;
    private final Changes changes;
    private final Grants grants;

    public BindingApi(BindingStore store, Changes changes, Grants grants) {
        this.store = store;
        this.changes = changes;
        this.grants = grants;
    }

    /** Granting what is granted already gives it the end that is asked for now. */
    public Future<Reply> create(Request request) {
        var place = Changes.placeOf(request);
        var body = request.body();
        var holder = holder(body, place);
        return changes.run(request, ACTION, (unit, records) -> PlaceStore.requireLive(unit, place)
                .compose(ok -> role(unit, place, body.path("role").asText()))
                .compose(role -> RoleStore.allowable(unit, role.actions()).compose(actions -> {
                    grants.require(request, place, actions);
                    var expiresAt = expiresAt(body, unit.now());
                    return holder.resolve(unit, records)
                            .compose(id -> grant(
                                    unit,
                                    records,
                                    new RoleBinding(
                                            Ids.next(),
                                            holder.kind,
                                            id,
                                            role.key(),
                                            place,
                                            expiresAt,
                                            unit.now(),
                                            null)));
                }))
                .map(granted -> changed(granted.before, granted.after, locationOf(granted.after))));
    }

    /** Removing a removed one changes nothing and answers the same. */
    public Future<Reply> delete(Request request) {
        var place = Changes.placeOf(request);
        return changes.run(
                request, ACTION, (unit, records) -> BindingStore.load(unit, place, request.pathId("binding_id"))
                        .compose(before -> before.removed()
                                ? Future.succeededFuture(changed(before, before, null))
                                : OwnerStore.keeping(unit, List.of(place), () -> {
                                    var after = before.removed(unit.now());
                                    BindingStore.remove(unit, records, after);
                                    return Future.succeededFuture(changed(before, after, null));
                                })));
    }

    public Future<Reply> get(Request request) {
        return store.find(Changes.placeOf(request), request.pathId("binding_id"))
                .map(found -> Reply.of(json(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(Changes.placeOf(request), request.cursor(), request.limit())
                .map(page -> page.reply(BindingApi::json));
    }

    private record Granted(@Nullable RoleBinding before, RoleBinding after) {}

    private static Future<Granted> grant(UnitOfWork unit, AuthzRecords records, RoleBinding asked) {
        return BindingStore.same(unit, asked.principalId(), asked.role(), asked.place())
                .compose(held -> held == null
                        ? BindingStore.add(unit, records, asked).map(ok -> new Granted(null, asked))
                        : OwnerStore.keeping(unit, List.of(asked.place()), () -> {
                            var after = held.ending(asked.expiresAt());
                            if (!after.equals(held)) {
                                BindingStore.setEnd(unit, records, after);
                            }
                            return Future.succeededFuture(new Granted(held, after));
                        }));
    }

    private static Future<Role> role(UnitOfWork unit, Place place, String key) {
        return RoleStore.load(unit, place.orgId(), key)
                .recover(e -> Future.failedFuture(
                        e instanceof ProblemException ? invalid("/role", "is not a role that there is here") : e))
                .map(found -> {
                    if (found.removed()) {
                        throw invalid("/role", "is deleted");
                    }
                    if (!found.level().equals(place.level().text())) {
                        throw invalid(
                                "/role",
                                "is held at the level " + found.level() + ", and this is a "
                                        + place.level().text());
                    }
                    return found;
                });
    }

    /** Who is to hold the role: resolved in the transaction, for a user may have to be made. */
    private record Asked(
            Holder kind,
            Place place,
            @Nullable UUID groupId,
            @Nullable UserReference user) {
        Future<UUID> resolve(UnitOfWork unit, AuthzRecords records) {
            if (user != null) {
                var orgId = place.orgId();
                return user.resolve(unit, records, orgId == null ? Place.PLATFORM : Place.organization(orgId))
                        .map(found -> found.id());
            }
            var group = Objects.requireNonNull(groupId);
            return BindingStore.isGroup(unit, Objects.requireNonNull(place.orgId()), group)
                    .map(exists -> {
                        if (!exists) {
                            throw Problem.of(ErrorCode.NOT_FOUND, "There is no such group in this organization.")
                                    .asException();
                        }
                        return group;
                    });
        }
    }

    private static Asked holder(JsonNode body, Place place) {
        if (!body.path("group_id").isTextual()) {
            return new Asked(Holder.USER, place, null, UserReference.of(body, ""));
        }
        if (body.has("user_id") || body.has("issuer") || body.has("subject")) {
            throw invalid("/group_id", "cannot be given together with a user");
        }
        if (place.orgId() == null) {
            throw invalid("/group_id", "cannot be given here: groups are of organizations");
        }
        return new Asked(
                Holder.GROUP, place, UUID.fromString(body.path("group_id").asText()), null);
    }

    private static @Nullable Instant expiresAt(JsonNode body, Instant now) {
        if (!body.path("expires_at").isTextual()) {
            return null;
        }
        var end = OffsetDateTime.parse(body.path("expires_at").asText())
                .toInstant()
                .truncatedTo(ChronoUnit.MICROS);
        if (!end.isAfter(now)) {
            throw invalid("/expires_at", "must be in the future");
        }
        return end;
    }

    private static String locationOf(RoleBinding binding) {
        var place = binding.place();
        var at =
                switch (place.level()) {
                    case PLATFORM -> "admin";
                    case ORGANIZATION -> "orgs/" + place.orgId();
                    case PROJECT -> "projects/" + place.projectId();
                };
        return "/api/v1/" + at + "/role-bindings/" + binding.id();
    }

    private static RuntimeException invalid(String field, String problem) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, problem).asException();
    }

    private static Changed changed(@Nullable RoleBinding before, RoleBinding after, @Nullable String location) {
        return new Changed(
                after.place(),
                "role_binding",
                after.id().toString(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static ObjectNode json(RoleBinding binding) {
        var place = binding.place();
        return Json.object()
                .put("id", binding.id().toString())
                .put("principal_type", binding.holder().text())
                .put("principal_id", binding.principalId().toString())
                .put("role", binding.role())
                .put("level", place.level().text())
                .put("org_id", Objects.toString(place.orgId(), null))
                .put("project_id", Objects.toString(place.projectId(), null))
                .put("expires_at", Objects.toString(binding.expiresAt(), null))
                .put("created_at", binding.createdAt().toString())
                .put("removed_at", Objects.toString(binding.removedAt(), null));
    }
}
