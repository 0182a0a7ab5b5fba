package dev.slipway.gateway;

import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.RevisionWaiter;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** Verifies the bearer token of every operation that is not public, and applies the rate limits of principals and token requests. */
final class AuthenticationHandler implements Handler<RoutingContext> {
    private static final String BEARER = "Bearer ";

    private final ServiceContext service;
    private final RevisionWaiter revisions;
    private final RateLimiter limiter;

    AuthenticationHandler(ServiceContext service, RateLimiter limiter) {
        this.service = service;
        this.revisions = service.revisionWaiter();
        this.limiter = limiter;
    }

    @Override
    public void handle(RoutingContext routing) {
        var context = RequestContext.of(routing);
        if (context.operation().scope() == Scope.PUBLIC) {
            if (context.operation().isMutation()) {
                limiter.checkTokenRequest(context.request());
                context.setUnverifiedToken(findBearerToken(context.request()));
            }
            routing.next();
            return;
        }
        try {
            authenticate(context);
        } catch (ProblemException e) {
            retryOrFail(context, e);
            return;
        }
        routing.next();
    }

    private void authenticate(RequestContext context) {
        var token = bearerToken(context.request());
        var principal = service.tokens().verify(token, service.clock().instant());
        context.setAuthenticated(principal, token);
        limiter.checkPrincipal(context.request(), principal);
    }

    private static String bearerToken(HttpServerRequest request) {
        if (request.headers().getAll(HttpHeaders.AUTHORIZATION).size() > 1) { // over HTTP/2
            throw Problem.validationOf(ErrorCode.INVALID_REQUEST, "Authorization", "must be given once only")
                    .asException();
        }
        var token = findBearerToken(request);
        if (token == null) {
            throw Problem.of(ErrorCode.TOKEN_MISSING, "Send the header Authorization: Bearer <token>.")
                    .asException();
        }
        return token;
    }

    private static @Nullable String findBearerToken(HttpServerRequest request) {
        var header = request.getHeader(HttpHeaders.AUTHORIZATION);
        return header == null || !header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? null
                : header.substring(BEARER.length()).strip();
    }

    /**
     * A token of a principal that was created moments ago is unknown until its event arrives here. A client that sends the X-Revision of
     * that write is verified again once the revision has been applied. Nobody waits with a token that no revision can make valid, and a wait
     * is charged before it starts, like a failed authentication.
     */
    private void retryOrFail(RequestContext context, ProblemException failure) {
        var routing = context.routing();
        var revision = context.request().getHeader("X-Revision");
        limiter.penalizeFailure(context.request(), failure.problem());
        if (failure.problem().code() != ErrorCode.TOKEN_INVALID
                || revisions.isReached(revision)
                || !mayBecomeValid(context.request())) {
            routing.fail(failure);
            return;
        }
        context.request().pause(); // the body handler resumes it
        revisions.await(routing.vertx(), revision).onComplete(done -> {
            if (done.failed()) {
                routing.fail(done.cause());
                return;
            }
            try {
                authenticate(context);
            } catch (RuntimeException e) {
                routing.fail(e);
                return;
            }
            routing.next();
        });
    }

    /** Returns whether the key or the subject of a well-formed token is unknown, which an event can change. */
    private boolean mayBecomeValid(HttpServerRequest request) {
        var token = bearerToken(request);
        if (service.tokens().findUnknownKey(token) != null) {
            return true;
        }
        try {
            return service.tokens().verifyIdentity(token, service.clock().instant()) != null;
        } catch (ProblemException e) {
            return false;
        }
    }
}
