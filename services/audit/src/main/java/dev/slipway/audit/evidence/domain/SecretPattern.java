package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The kinds of credential that evidence must not contain. All patterns are bounded, so that matching takes linear time. */
public enum SecretPattern implements TextEnum {
    PRIVATE_KEY("-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    OTP_SEED("(?i)otpauth://(?:totp|hotp)/"),
    KUBECONFIG("(?i)\\bclient-key-data\\b|\\bclient-certificate-data\\b|\\bcurrent-context\\s{0,4}:\\s{0,4}\\S"),
    JSON_WEB_TOKEN("\\beyJ[A-Za-z0-9_-]{10,4000}+\\.eyJ[A-Za-z0-9_-]{10,8000}+\\.[A-Za-z0-9_-]{16,2000}"),
    ACCESS_TOKEN("\\b(?:glpat-[A-Za-z0-9_-]{20,64}|gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}"
            + "|xox[abprs]-[A-Za-z0-9-]{10,255}|AKIA[0-9A-Z]{16})\\b"),
    AUTHORIZATION_HEADER(
            "(?i)\\bauthorization[\"']?\\s{0,4}[:=]\\s{0,4}[\"']?(?:bearer|basic|token)\\s{1,4}[A-Za-z0-9._~+/=-]{8}"),
    COOKIE("(?i)\\b(?:set-)?cookie[\"']?\\s{0,4}:\\s{0,4}[\"']?[A-Za-z0-9_.-]{1,64}=[^;\\s\"']{8}"),
    URL_CREDENTIALS("(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^/\\s:@\"'<>]{1,128}:[^/\\s@\"'<>]{3,128}@[a-z0-9]"),
    PASSWORD("(?i)\\b(?:password|passwd|passphrase|client_secret|api_?key|secret_?key|access_token|refresh_token"
            + "|private_token|otp_seed|totp_secret)[\"']?\\s{0,4}[:=]\\s{0,4}[\"']?[^\\s\"'<>*${}\\[\\],;()]{6}");

    /** Names of JSON fields whose value is a credential. */
    private static final Set<String> SECRET_FIELDS = Set.of(
            "password",
            "passwd",
            "passphrase",
            "client_secret",
            "api_key",
            "apikey",
            "secret_key",
            "access_token",
            "refresh_token",
            "private_token",
            "private_key",
            "otp_seed",
            "totp_secret",
            "set_cookie");

    private final Pattern pattern;

    SecretPattern(String regex) {
        this.pattern = Pattern.compile(regex);
    }

    /** Returns the kind of the first credential in the text, or null. */
    public static @Nullable SecretPattern find(String text) {
        for (var candidate : values()) {
            if (candidate.pattern.matcher(text).find()) {
                return candidate;
            }
        }
        return null;
    }

    /** Returns whether a JSON field of this name holds a credential if its value is not empty. */
    public static boolean isSecretField(String name) {
        return SECRET_FIELDS.contains(name.toLowerCase(Locale.ROOT).replace('-', '_'))
                || name.equalsIgnoreCase("set_cookie");
    }
}
