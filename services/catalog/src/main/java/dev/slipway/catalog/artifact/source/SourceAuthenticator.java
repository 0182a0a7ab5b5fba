package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SsrfSafeClient.Request;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Sends requests to sources and authenticates when a source requires it. */
public final class SourceAuthenticator {
    private static final Pattern CHALLENGE = Pattern.compile("(?i)(bearer|basic)\\s+(.*)");
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final int MAX_TOKEN_ANSWER = 64 << 10;

    private final List<SourceAccount> accounts;
    private final Function<SourceLocation, Future<String>> ownTokenIssuer;
    private final SsrfSafeClient client;
    private final ResponseBodyReader responseBodyReader;

    /**
     * The platform's account at a source. Its credentials are only used for sources of its type, within its namespace.
     *
     * @param namespace the paths that the account is for; empty means all of them
     * @param ownTokens whether the source accepts tokens signed by this platform
     * @param tokenHost another host to which the password may be sent to get a token
     */
    public record SourceAccount(
            String sourceType,
            String authority,
            String namespace,
            boolean ownTokens,
            @Nullable String username,
            @Nullable String password,
            @Nullable String tokenHost) {
        boolean covers(SourceLocation at) {
            return sourceType.equals(at.type())
                    && authority.equals(at.authority())
                    && (namespace.isEmpty() || at.path().startsWith(namespace + "/"));
        }

        @Override
        public String toString() {
            return "Account[" + authority + "]"; // the password stays out of logs
        }
    }

    /** {@code ownToken} issues a token to pull from a repository. */
    SourceAuthenticator(
            List<SourceAccount> accounts,
            Function<SourceLocation, Future<String>> ownToken,
            SsrfSafeClient client,
            ResponseBodyReader responseBodyReader) {
        this.accounts = List.copyOf(accounts);
        this.ownTokenIssuer = ownToken;
        this.client = client;
        this.responseBodyReader = responseBodyReader;
    }

    /** Sends a request, and repeats it with credentials if the source responds with 401. */
    Future<HttpClientResponse> send(SourceLocation at, Request question) {
        return client.send(question).compose(response -> {
            if (response.statusCode() != 401) {
                return Future.succeededFuture(response);
            }
            response.request().reset();
            return authorize(at, response)
                    .compose(authorization -> client.send(question.withAuthorization(authorization)));
        });
    }

    /** Returns the Authorization header for a source that responded with 401. */
    private Future<String> authorize(SourceLocation at, HttpClientResponse unauthorized) {
        var sourceAccount = accounts.stream()
                .filter(account -> account.covers(at))
                .findFirst()
                .orElse(null);
        if (sourceAccount != null && sourceAccount.ownTokens) {
            return ownTokenIssuer.apply(at).map(token -> "Bearer " + token);
        }
        var header = unauthorized.getHeader("WWW-Authenticate");
        var challenge = CHALLENGE.matcher(header == null ? "" : header);
        if (!challenge.matches()) {
            return Future.failedFuture(refused(at, "requires an unsupported authentication scheme"));
        }
        var basic = sourceAccount == null ? null : basic(sourceAccount);
        if (challenge.group(1).equalsIgnoreCase("basic")) {
            return basic == null
                    ? Future.failedFuture(refused(at, "requires credentials, and the platform has none for it"))
                    : Future.succeededFuture(basic);
        }
        var parameters = PARAMETER
                .matcher(challenge.group(2))
                .results()
                .collect(Collectors.toMap(m -> m.group(1), m -> m.group(2), (a, b) -> a));
        return fetchToken(at, sourceAccount, basic, parameters);
    }

    private Future<String> fetchToken(
            SourceLocation at,
            @Nullable SourceAccount sourceAccount,
            @Nullable String basic,
            Map<String, String> challenge) {
        var realm = challenge.getOrDefault("realm", "");
        var address = realm
                + (realm.contains("?") ? "&" : "?")
                + "service=" + urlEncode(challenge.getOrDefault("service", ""))
                + "&scope=" + urlEncode("repository:" + at.path() + ":pull");
        URI uri;
        try {
            uri = URI.create(address);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(refused(at, "names no valid token endpoint"));
        }
        Map<String, String> headers =
                basic != null && sourceAccount != null && mayReceivePassword(at, sourceAccount, uri)
                        ? Map.of("Authorization", basic)
                        : Map.of();
        return client.send(new Request(io.vertx.core.http.HttpMethod.GET, uri, headers))
                .compose(response -> response.statusCode() == 200
                        ? responseBodyReader.readAll(response, MAX_TOKEN_ANSWER)
                        : Future.failedFuture(refused(at, "issues no token to pull " + at.path())))
                .compose(body -> {
                    try {
                        var node = Json.parse(body.getBytes());
                        var token = node.path("token")
                                .asText(node.path("access_token").asText());
                        return token.isEmpty()
                                ? Future.failedFuture(refused(at, "returned no token"))
                                : Future.succeededFuture("Bearer " + token);
                    } catch (IOException e) {
                        return Future.failedFuture(refused(at, "returned no token"));
                    }
                });
    }

    /** A password is only sent to the source itself and to the configured token host. */
    private static boolean mayReceivePassword(SourceLocation at, SourceAccount sourceAccount, URI realm) {
        return at.host().equals(realm.getHost())
                || (sourceAccount.tokenHost != null && sourceAccount.tokenHost.equals(realm.getHost()));
    }

    private static @Nullable String basic(SourceAccount sourceAccount) {
        if (sourceAccount.username == null || sourceAccount.password == null) {
            return null;
        }
        var pair = sourceAccount.username + ":" + sourceAccount.password;
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static String urlEncode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static SourceException refused(SourceLocation at, String what) {
        return new SourceException(Reason.REFUSED, at.host() + " " + what + ".");
    }
}
