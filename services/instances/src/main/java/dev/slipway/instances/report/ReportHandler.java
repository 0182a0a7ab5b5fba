package dev.slipway.instances.report;

import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/**
 * Applies reports of one type. A handler refuses before it writes anything, keeps what it changes, and answers the instance after it.
 */
public interface ReportHandler {
    Future<AppInstance> apply(UnitOfWork unit, Report report);
}
