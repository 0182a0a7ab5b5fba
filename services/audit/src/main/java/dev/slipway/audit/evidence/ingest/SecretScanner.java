package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.audit.evidence.domain.SecretPattern;
import dev.slipway.contract.CanonicalJson;

/** Rejects evidence that contains a credential, anywhere in its strings and field names. */
public final class SecretScanner {
    private static final int MAX_POINTER_LENGTH = 200;

    private SecretScanner() {}

    /**
     * Throws a {@link SecretException} if the value contains a credential, and an {@link EvidenceException} if it has no canonical form.
     *
     * @param pointer the location of the value in the request
     */
    public static void requireNoSecret(String pointer, JsonNode value) {
        if (value.isTextual()) {
            requireNoSecret(pointer, value.textValue());
        } else if (value.isNumber()) {
            if (!CanonicalJson.hasCanonicalForm(value)) {
                throw new EvidenceException(pointer, "is a number beyond the range of a double");
            }
        } else if (value.isArray()) {
            for (var i = 0; i < value.size(); i++) {
                requireNoSecret(child(pointer, String.valueOf(i)), value.get(i));
            }
        } else {
            for (var field : value.properties()) {
                var at = child(pointer, field.getKey());
                requireNoSecret(at, field.getKey());
                if (SecretPattern.isSecretField(field.getKey()) && isFilled(field.getValue())) {
                    throw new SecretException(SecretPattern.PASSWORD, at);
                }
                requireNoSecret(at, field.getValue());
            }
        }
    }

    private static void requireNoSecret(String pointer, String text) {
        var found = SecretPattern.find(text);
        if (found != null) {
            // A field name can itself be the credential.
            throw new SecretException(found, SecretPattern.find(pointer) == null ? pointer : "/content");
        }
    }

    private static boolean isFilled(JsonNode value) {
        return value.isTextual() && !value.textValue().isBlank();
    }

    private static String child(String pointer, String name) {
        return pointer.length() > MAX_POINTER_LENGTH ? pointer : pointer + "/" + name;
    }
}
