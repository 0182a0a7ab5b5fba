package dev.slipway.service.consistency;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.consistency.ConsistencyJson.Claim;
import dev.slipway.service.consistency.ConsistencyJson.ClaimsStated;
import dev.slipway.service.consistency.ConsistencyJson.Difference;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Verifies the claims of other services slice by slice, and publishes the result at the end of a pass. */
public final class ClaimConsumer {
    /** The events behind a claim and the claim are on different topics, so this service may not have applied them yet. */
    private static final long RETRY_MS = 3_000;

    private final Vertx vertx;
    private final String service;
    private final List<ClaimVerifier> verifiers = new ArrayList<>();
    private final Map<String, Pass> passes = new HashMap<>();

    private static final class Pass {
        private final UUID id;
        private final Tally tally;
        private int nextSlice;

        Pass(ClaimsStated stated) {
            this.id = stated.passId();
            this.tally = new Tally(stated.startedAt());
        }
    }

    public ClaimConsumer(Vertx vertx, String service) {
        this.vertx = vertx;
        this.service = service;
    }

    public void add(ClaimVerifier verifier) {
        verifiers.add(verifier);
    }

    public Future<Void> apply(UnitOfWork unit, ReceivedRecord record, Envelope event) {
        if (!event.eventType().equals(ConsistencyJson.CLAIMS_STATED)) {
            return Future.succeededFuture();
        }
        var stated = Json.toRecord(event.payload(), ClaimsStated.class);
        var chain = Future.<Void>succeededFuture();
        for (var verifier : verifiers) {
            if (verifier.claim().equals(stated.claim())) {
                chain = chain.compose(ok -> verify(unit, verifier, stated));
            }
        }
        return chain;
    }

    /** A slice that is delivered again is ignored. A pass of which this process has missed a slice is not counted. */
    private Future<Void> verify(UnitOfWork unit, ClaimVerifier verifier, ClaimsStated stated) {
        if (stated.slice() == 0) {
            passes.put(verifier.name(), new Pass(stated));
        }
        var pass = passes.get(verifier.name());
        if (pass == null || !pass.id.equals(stated.passId()) || pass.nextSlice != stated.slice()) {
            return Future.succeededFuture();
        }
        return findDifferences(unit, verifier, stated.claims()).map(differences -> {
            pass.nextSlice++;
            pass.tally.add(stated.claims().size(), differences);
            if (stated.last()) {
                passes.remove(verifier.name());
                ConsistencyRunner.publish(
                        unit, pass.tally.toResult(service, verifier.name(), verifier.description(), unit.now()));
            }
            return null;
        });
    }

    private Future<List<Difference>> findDifferences(UnitOfWork unit, ClaimVerifier verifier, List<Claim> claims) {
        return query(unit, verifier, claims)
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(found)
                        : vertx.timer(RETRY_MS).compose(ok -> query(unit, verifier, claims)));
    }

    private static Future<List<Difference>> query(UnitOfWork unit, ClaimVerifier verifier, List<Claim> claims) {
        var keys = claims.stream().map(Claim::key).toArray(String[]::new);
        var values = claims.stream().map(Claim::value).toArray(String[]::new);
        return unit.query(verifier.query(), Tuple.tuple().addArrayOfString(keys).addArrayOfString(values))
                .map(rows -> ConsistencyRunner.differences(rows, verifier.verdict()));
    }
}
