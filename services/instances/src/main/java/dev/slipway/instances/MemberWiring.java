package dev.slipway.instances;

import dev.slipway.authz.Authorizer;
import dev.slipway.instances.declared.DeclaredApi;
import dev.slipway.instances.declared.DeclaredReports;
import dev.slipway.instances.member.MemberApi;
import dev.slipway.instances.member.MemberOperations;
import dev.slipway.instances.member.MemberReports;
import dev.slipway.instances.member.MemberStore;
import dev.slipway.instances.member.Members;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.usage.UsageReports;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Vertx;

/** Members of instances, what apps declare, and what is used: wiring only. */
final class MemberWiring {
    private final MemberApi members;
    private final DeclaredApi declared;

    MemberWiring(
            Vertx vertx, Frame frame, Service service, LifecycleWiring lifecycle, MemberStore store, Members crew) {
        var manifests = new ManifestStore();
        var instances = lifecycle.instances();
        var operations = lifecycle.operations();
        members = new MemberApi(
                instances,
                store,
                new MemberOperations(instances, store, operations, lifecycle.commands(), manifests),
                lifecycle.admissions(),
                service.mutations());
        declared = new DeclaredApi(
                vertx,
                instances,
                operations,
                lifecycle.commands(),
                manifests,
                lifecycle.admissions(),
                new Authorizer(frame.authz()),
                service.mutations(),
                service.outbox());
        var memberReports = new MemberReports(instances, store, operations, crew);
        lifecycle
                .operationReports()
                .on(Kind.MEMBER, memberReports::ended)
                .on(Kind.DECLARED, new DeclaredReports(vertx, instances, operations, manifests)::ended);
        lifecycle.reports().on("members", memberReports::states).on("usage", new UsageReports(manifests)::used);
    }

    Service serve(Service service) {
        return service.serve("listInstanceMembers", members::list)
                .serve("getInstanceMember", members::get)
                .serve("operateInstanceMember", members::operate)
                .serve("runInstanceOperation", declared::run);
    }
}
