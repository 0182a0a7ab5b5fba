package dev.slipway.catalog.artifact.credential;

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
import java.util.List;

/**
 * Issues tokens for the token authentication of registries, signed with a key whose certificate the registries trust. Tokens are
 * self-contained, so nothing is stored.
 */
public final class RegistryTokenIssuer implements CredentialIssuer {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    /** Tolerance for clock differences. */
    private static final int LEEWAY_SECONDS = 30;

    private final Vertx vertx;
    private final RegistryTokenKey key;
    private final String issuer;
    private final Clock clock;

    public RegistryTokenIssuer(Vertx vertx, RegistryTokenKey key, String issuer, Clock clock) {
        this.vertx = vertx;
        this.key = key;
        this.issuer = issuer;
        this.clock = clock;
    }

    private record Header(String typ, String alg, List<String> x5c) {}

    private record Claims(
            String iss, String sub, String aud, long exp, long nbf, long iat, String jti, List<Access> access) {}

    private record Access(String type, String name, List<String> actions) {}

    @Override
    public Future<Lease> issue(CredentialRequest credentialRequest) {
        var now = clock.instant();
        var expiresAt = now.plus(credentialRequest.lifetime());
        var id = Ids.next().toString();
        var claims = new Claims(
                issuer,
                credentialRequest.subject(),
                credentialRequest.service(),
                expiresAt.getEpochSecond(),
                now.getEpochSecond() - LEEWAY_SECONDS,
                now.getEpochSecond(),
                id,
                List.of(new Access("repository", credentialRequest.repository(), credentialRequest.actions())));
        return vertx.executeBlocking(() -> sign(claims), false).map(token -> new Lease(id, token, expiresAt));
    }

    /** Does nothing: registries verify tokens on their own, and tokens expire soon. */
    @Override
    public Future<Void> revoke(String leaseId) {
        return Future.succeededFuture();
    }

    private String sign(Claims claims) throws GeneralSecurityException {
        var signing = header() + "." + BASE64.encodeToString(Json.bytes(claims));
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key.privateKey());
        signature.update(signing.getBytes(StandardCharsets.US_ASCII));
        return signing + "." + BASE64.encodeToString(signature.sign());
    }

    private String header() throws CertificateEncodingException {
        var certificate = Base64.getEncoder().encodeToString(key.certificate().getEncoded());
        return BASE64.encodeToString(Json.bytes(new Header("JWT", "ES256", List.of(certificate))));
    }
}
