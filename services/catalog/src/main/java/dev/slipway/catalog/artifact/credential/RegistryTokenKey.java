package dev.slipway.catalog.artifact.credential;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** The key that signs registry tokens (ECDSA, P-256), with the certificate that registries trust. */
public record RegistryTokenKey(ECPrivateKey privateKey, X509Certificate certificate) {
    private static final int BITS = 256;

    /** Parses a PKCS 8 key and its certificate in PEM. Throws {@link IllegalArgumentException} if they are not valid. */
    public static RegistryTokenKey parse(String privateKeyPem, String certificatePem) {
        try {
            var base64 = privateKeyPem.replaceAll("-----(BEGIN|END) PRIVATE KEY-----|\\s", "");
            var spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
            var key = (ECPrivateKey) KeyFactory.getInstance("EC").generatePrivate(spec);
            if (key.getParams().getCurve().getField().getFieldSize() != BITS) {
                throw new IllegalArgumentException("the key does not use the curve P-256");
            }
            var certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(
                            certificatePem.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
            return new RegistryTokenKey(key, certificate);
        } catch (GeneralSecurityException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "not an elliptic-curve key in PKCS 8 format with its certificate, both PEM", e);
        }
    }

    @Override
    public String toString() {
        return "TokenKey[" + certificate.getSubjectX500Principal() + "]"; // the key stays out of logs
    }
}
