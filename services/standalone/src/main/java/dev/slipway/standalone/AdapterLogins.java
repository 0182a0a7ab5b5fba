package dev.slipway.standalone;

import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.embedded.EmbeddedKafka;
import dev.slipway.messaging.ReceivedRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Gives adapters of runtime backends that are registered at run time a login on the embedded broker. */
final class AdapterLogins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdapterLogins.class);

    private final KafkaClientFiles clients;
    private final EmbeddedKafka broker;
    private final String topicPrefix;
    private final Set<String> requested = new HashSet<>();
    /** Waits for the broker, which event loops must not do. */
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        var thread = new Thread(task, "adapter-logins");
        thread.setDaemon(true);
        return thread;
    });

    AdapterLogins(KafkaClientFiles clients, EmbeddedKafka broker, String topicPrefix) {
        this.clients = clients;
        this.broker = broker;
        this.topicPrefix = topicPrefix;
    }

    /** Applies a verified record of the catalog's state topic. */
    void apply(ReceivedRecord record) {
        if (record.value().length == 0) {
            return;
        }
        try {
            var backend = RegistrySnapshot.ofKind(record.envelope(), RegistryKind.RUNTIME_BACKEND);
            if (backend != null
                    && backend.lifecycle() == RegistryLifecycle.ACTIVE
                    && requested.add(backend.entryId())) {
                worker.execute(() -> create(backend.entryId()));
            }
        } catch (MalformedEnvelopeException e) {
            // The owner of the read model reports it.
        }
    }

    private void create(String backend) {
        try {
            clients.addAdapter(backend, topicPrefix, broker::add);
        } catch (IOException | RuntimeException e) {
            LOG.atError()
                    .addKeyValue("runtime_backend", backend)
                    .setCause(e)
                    .log("login of the backend's adapter not created; it is created at the next start");
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
