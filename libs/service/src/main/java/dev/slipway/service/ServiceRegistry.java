package dev.slipway.service;

import dev.slipway.messaging.InboxConsumer;
import io.vertx.core.Future;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The services that this process has started. */
public final class ServiceRegistry {
    private final List<Service> services = new CopyOnWriteArrayList<>();

    void register(Service service) {
        services.add(service);
    }

    /** Returns the consumers that maintain the read models which the services need to start. */
    public List<InboxConsumer> consumers() {
        return services.stream()
                .flatMap(service -> service.requiredConsumers().stream())
                .toList();
    }

    /** Lets every service accept requests. */
    public Future<Void> acceptRequests() {
        return Future.all(services.stream().map(Service::acceptRequests).toList())
                .mapEmpty();
    }
}
