package dev.slipway.instances;

import dev.slipway.contract.EventSchemas;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AppInstanceApi;
import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.lifecycle.InstanceReports;
import dev.slipway.instances.lifecycle.Instances;
import dev.slipway.instances.lifecycle.LifecycleApi;
import dev.slipway.instances.lifecycle.OperationReports;
import dev.slipway.instances.operation.OperationApi;
import dev.slipway.instances.operation.OperationStore;
import dev.slipway.instances.report.ReportAuthorization;
import dev.slipway.instances.report.ReportRouter;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;

/** Instances, the operations on them, and what adapters report: wiring only. */
final class LifecycleWiring {
    private final AppInstanceStore instances;
    private final OperationStore operations;
    private final AppInstanceApi reading;
    private final OperationApi operationApi;
    private final LifecycleApi lifecycle;
    private final OperationReports operationReports;
    private final ReportRouter reports;

    LifecycleWiring(Service service, Frame frame, InstancesConfig config) {
        var admissions = new AdmissionStore(config.policyBudget());
        var commands = new CommandStore();
        instances = new AppInstanceStore(service.reads());
        operations = new OperationStore(service.reads(), commands);
        reading = new AppInstanceApi(instances);
        operationApi = new OperationApi(operations, instances);
        lifecycle = new LifecycleApi(
                new Instances(instances, admissions, operations, commands, config.region()),
                admissions,
                service.mutations());
        var router = new ReportRouter(
                instances,
                operations,
                commands,
                frame.authz(),
                new ReportAuthorization(frame.authz(), frame.tokens(), EventSchemas.load()),
                frame.clock(),
                frame.authzBudgetForWrites());
        operationReports = new OperationReports(instances, operations);
        reports = operationReports.handle(new InstanceReports(instances, operations).handle(router));
    }

    Service serve(Service service) {
        return service.serveOnEveryLoop("createAppInstance", lifecycle::create)
                .serveOnEveryLoop("listAppInstances", reading::list)
                .serveOnEveryLoop("getAppInstance", reading::get)
                .serve("deleteAppInstance", lifecycle::delete)
                .serve("listInstanceOperations", operationApi::list)
                .serve("getInstanceOperation", operationApi::get);
    }

    AppInstanceStore instances() {
        return instances;
    }

    OperationStore operations() {
        return operations;
    }

    /** For kinds of operations whose end means more than that. */
    OperationReports operationReports() {
        return operationReports;
    }

    /** Where the handlers of more types of reports are added. */
    ReportRouter reports() {
        return reports;
    }
}
