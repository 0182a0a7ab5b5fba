package dev.slipway.catalog.source;

import dev.slipway.catalog.source.GuardedClient.Question;
import dev.slipway.catalog.source.SourceException.Reason;
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

/** How this service makes itself known to sources that ask who it is. */
public final class Accounts {
    private static final Pattern CHALLENGE = Pattern.compile("(?i)(bearer|basic)\\s+(.*)");
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final int MAX_TOKEN_ANSWER = 64 << 10;

    private final Map<String, Account> byAuthority;
    private final Function<Location, Future<String>> ownToken;
    private final GuardedClient client;
    private final Bodies bodies;

    /**
     * What the platform is to one of its sources.
     *
     * @param ownTokens the source takes the tokens that this platform signs
     * @param tokenHost the host, beside its own, that the source may send us to for a token, password and all
     */
    public record Account(
            String authority,
            boolean ownTokens,
            @Nullable String username,
            @Nullable String password,
            @Nullable String tokenHost) {
        @Override
        public String toString() {
            return "Account[" + authority + "]"; // the password stays out of logs
        }
    }

    /** {@code ownToken} makes a token to pull from a repository. */
    Accounts(List<Account> accounts, Function<Location, Future<String>> ownToken, GuardedClient client, Bodies bodies) {
        this.byAuthority =
                accounts.stream().collect(Collectors.toUnmodifiableMap(Account::authority, account -> account));
        this.ownToken = ownToken;
        this.client = client;
        this.bodies = bodies;
    }

    /** Asks, and asks again with credentials if that is what is wanted. */
    Future<HttpClientResponse> ask(Location at, Question question) {
        return client.ask(question).compose(response -> {
            if (response.statusCode() != 401) {
                return Future.succeededFuture(response);
            }
            response.request().reset();
            return answer(at, response).compose(authorization -> client.ask(question.with(authorization)));
        });
    }

    /** The Authorization to answer a 401 with. */
    private Future<String> answer(Location at, HttpClientResponse unauthorized) {
        var account = byAuthority.get(at.authority());
        if (account != null && account.ownTokens) {
            return ownToken.apply(at).map(token -> "Bearer " + token);
        }
        var header = unauthorized.getHeader("WWW-Authenticate");
        var challenge = CHALLENGE.matcher(header == null ? "" : header);
        if (!challenge.matches()) {
            return Future.failedFuture(refused(at, "asks for credentials in a way that is not known here"));
        }
        var basic = account == null ? null : basic(account);
        if (challenge.group(1).equalsIgnoreCase("basic")) {
            return basic == null
                    ? Future.failedFuture(refused(at, "asks for credentials, and the platform has none for it"))
                    : Future.succeededFuture(basic);
        }
        var parameters = PARAMETER
                .matcher(challenge.group(2))
                .results()
                .collect(Collectors.toMap(m -> m.group(1), m -> m.group(2), (a, b) -> a));
        return token(at, account, basic, parameters);
    }

    private Future<String> token(
            Location at, @Nullable Account account, @Nullable String basic, Map<String, String> challenge) {
        var realm = challenge.getOrDefault("realm", "");
        var address = realm
                + (realm.contains("?") ? "&" : "?")
                + "service=" + encoded(challenge.getOrDefault("service", ""))
                + "&scope=" + encoded("repository:" + at.path() + ":pull");
        URI uri;
        try {
            uri = URI.create(address);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(refused(at, "names no place to get a token from"));
        }
        Map<String, String> headers = basic != null && account != null && isOurs(at, account, uri)
                ? Map.of("Authorization", basic)
                : Map.of();
        return client.ask(new Question(io.vertx.core.http.HttpMethod.GET, uri, headers))
                .compose(response -> response.statusCode() == 200
                        ? bodies.whole(response, MAX_TOKEN_ANSWER)
                        : Future.failedFuture(refused(at, "gives no token to pull " + at.path())))
                .compose(body -> {
                    try {
                        var node = Json.parse(body.getBytes());
                        var token = node.path("token")
                                .asText(node.path("access_token").asText());
                        return token.isEmpty()
                                ? Future.failedFuture(refused(at, "answers with no token"))
                                : Future.succeededFuture("Bearer " + token);
                    } catch (IOException e) {
                        return Future.failedFuture(refused(at, "answers with no token"));
                    }
                });
    }

    /** A password goes to the source itself and to where its operator said, not to wherever a source points. */
    private static boolean isOurs(Location at, Account account, URI realm) {
        return at.host().equals(realm.getHost())
                || (account.tokenHost != null && account.tokenHost.equals(realm.getHost()));
    }

    private static @Nullable String basic(Account account) {
        if (account.username == null || account.password == null) {
            return null;
        }
        var pair = account.username + ":" + account.password;
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static SourceException refused(Location at, String what) {
        return new SourceException(Reason.REFUSED, at.host() + " " + what + ".");
    }
}
