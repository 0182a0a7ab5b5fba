package dev.slipway.service;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.ResourceScope;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ReceivedRecord;

import java.util.UUID;

/** Decides whether a heartbeat on {@code runtime.reports} was sent by the adapter that it names: anybody with access to the topic can write one. */
public final class HeartbeatVerifier {
    public static final String EVENT_TYPE = "runtime.report.heartbeat";
    private static final String ACTION = "runtime.adapter.report";
    private static final String BEARER = "Bearer ";

    private final Authorizer authorizer;
    private final TokenVerifier tokens;

    /**
     * @param tokens accepts tokens of reports
     */
    public HeartbeatVerifier(AuthzModel model, TokenVerifier tokens) {
        this.authorizer = new Authorizer(model);
        this.tokens = tokens;
    }

    public boolean isSentBy(UUID adapterId, ReceivedRecord record) {
        var header = record.headers().getOrDefault("authorization", "");
        try {
            var principal = tokens.verify(
                    header.startsWith(BEARER) ? header.substring(BEARER.length()) : "", record.appendedAt());
            return principal.id().equals(adapterId)
                    && authorizer
                            .decide(principal, ACTION, ResourceScope.platform(), record.appendedAt())
                            .allowed();
        } catch (ProblemException e) {
            return false;
        }
    }
}
