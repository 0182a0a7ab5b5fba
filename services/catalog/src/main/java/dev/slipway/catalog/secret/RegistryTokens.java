package dev.slipway.catalog.secret;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.cert.CertificateEncodingException;
import java.time.Clock;
import java.util.Base64;

/**
 * Credentials that this service makes itself: tokens of the registries' token authentication, signed with a key whose certificate the
 * registries trust. They say of themselves what they are good for, so nobody has to be asked and nothing is kept.
 */
public final class RegistryTokens implements Secrets {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    /** Clocks differ. */
    private static final int LEEWAY_SECONDS = 30;

    private final Vertx vertx;
    private final TokenKey key;
    private final String issuer;
    private final Clock clock;

    public RegistryTokens(Vertx vertx, TokenKey key, String issuer, Clock clock) {
        this.vertx = vertx;
        this.key = key;
        this.issuer = issuer;
        this.clock = clock;
    }

    @Override
    public Future<Lease> issue(Grant grant) {
        var now = clock.instant();
        var expiresAt = now.plus(grant.lifetime());
        var id = Ids.next().toString();
        var claims = Json.object()
                .put("iss", issuer)
                .put("sub", grant.subject())
                .put("aud", grant.service())
                .put("exp", expiresAt.getEpochSecond())
                .put("nbf", now.getEpochSecond() - LEEWAY_SECONDS)
                .put("iat", now.getEpochSecond())
                .put("jti", id);
        var access =
                claims.putArray("access").addObject().put("type", "repository").put("name", grant.repository());
        var actions = access.putArray("actions");
        grant.actions().forEach(actions::add);
        return vertx.executeBlocking(() -> signed(claims), false).map(token -> new Lease(id, token, expiresAt));
    }

    /** A registry asks nobody about a token: it ends by itself, soon. */
    @Override
    public Future<Void> revoke(String leaseId) {
        return Future.succeededFuture();
    }

    private String signed(ObjectNode claims) throws GeneralSecurityException {
        var signing = header() + "." + BASE64.encodeToString(Json.bytes(claims));
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key.privateKey());
        signature.update(signing.getBytes(StandardCharsets.US_ASCII));
        return signing + "." + BASE64.encodeToString(signature.sign());
    }

    private String header() throws CertificateEncodingException {
        var header = Json.object().put("typ", "JWT").put("alg", "ES256");
        header.putArray("x5c")
                .add(Base64.getEncoder().encodeToString(key.certificate().getEncoded()));
        return BASE64.encodeToString(Json.bytes(header));
    }
}
