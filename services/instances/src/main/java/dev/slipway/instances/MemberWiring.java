package dev.slipway.instances;

import dev.slipway.authz.Authorizer;
import dev.slipway.instances.declared.DeclaredApi;
import dev.slipway.instances.declared.DeclaredReports;
import dev.slipway.instances.member.MemberApi;
import dev.slipway.instances.member.MemberOperations;
import dev.slipway.instances.member.MemberReports;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.projection.ManifestStore;
import dev.slipway.instances.usage.UsageReports;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;

/** Members of instances, what apps declare, and what is used: wiring only. */
final class MemberWiring {
    private final MemberApi members;
    private final DeclaredApi declared;

    MemberWiring(Frame frame, Service service, LifecycleWiring lifecycle) {
        var manifests = new ManifestStore();
        var instances = lifecycle.instances();
        var operations = lifecycle.operations();
        members = new MemberApi(
                instances,
                lifecycle.members(),
                new MemberOperations(instances, lifecycle.members(), operations, lifecycle.commands(), manifests),
                operations,
                lifecycle.admissions(),
                service.mutations());
        declared = new DeclaredApi(
                instances,
                operations,
                lifecycle.commands(),
                manifests,
                lifecycle.admissions(),
                new Authorizer(frame.authz()),
                service.mutations(),
                service.outbox());
        var memberReports = new MemberReports(instances, lifecycle.members(), operations);
        lifecycle
                .operationReports()
                .on(Kind.MEMBER, memberReports::ended)
                .on(Kind.DECLARED, new DeclaredReports(instances, operations, manifests)::ended);
        lifecycle.reports().on("members", memberReports::states).on("usage", new UsageReports(manifests)::used);
    }

    Service serve(Service service) {
        return service.serve("listInstanceMembers", members::list)
                .serve("getInstanceMember", members::get)
                .serve("operateInstanceMember", members::operate)
                .serve("getMemberOperation", members::operation)
                .serve("runInstanceOperation", declared::run);
    }
}
