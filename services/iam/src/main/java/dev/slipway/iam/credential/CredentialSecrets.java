package dev.slipway.iam.credential;

import java.security.SecureRandom;
import java.util.Base64;

/** Generates the secrets of credentials. */
public final class CredentialSecrets {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    private CredentialSecrets() {}

    /** Returns a new secret. Its prefix lets scanners for leaked secrets recognize it. */
    public static String generate() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return "sws_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
