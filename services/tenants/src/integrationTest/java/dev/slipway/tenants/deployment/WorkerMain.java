package dev.slipway.tenants.deployment;

import dev.slipway.tenants.TenantsConfig;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.testkit.FreshDatabase;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Works on the tenants and deployments of a database until it is killed. */
final class WorkerMain {
    private WorkerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        var config = new TenantsConfig(10, 1, 10, Duration.ofMinutes(5), 4, Duration.ofMinutes(1), Path.of("unused"));
        var fixture = new DeploymentFixture(new TenantsFixture(config, new FreshDatabase(arguments[0])));
        fixture.startWorker();
        System.out.println("working on " + fixture.tenants.settings.address());
        new CountDownLatch(1).await();
    }
}
