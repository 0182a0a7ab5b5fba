package dev.slipway.standalone;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A key signs at every moment, regardless of what administrators rotate and revoke. New keys sign after an hour here, so they never help. */
class SigningKeysTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_SIGNING_KEY_LEAD", "PT1H"));
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void rotateSigningKey_leavesTheCurrentKeySigning_whenManyKeysWait() {
        var signing = CredentialCalls.signingKids(platform);

        for (int i = 0; i < 12; i++) {
            rotate();
        }

        assertThat(CredentialCalls.signingKids(platform)).hasSize(1).isEqualTo(signing);
        assertTokensAreIssued();
    }

    @Test
    void revokeSigningKey_leavesOneKeySigning_whenAllKeysAreRevokedAtOnce() throws Exception {
        rotate();
        var revoked = publishedKids();
        var calls = new ArrayList<Callable<Integer>>();
        for (var kid : revoked) {
            calls.add(() -> platform.as("platform_superadmin")
                    .call("revokeSigningKey")
                    .path("kid", kid)
                    .send()
                    .status());
        }

        var threads = Executors.newFixedThreadPool(4);
        try {
            for (var status : threads.invokeAll(calls)) {
                assertThat(status.get()).isEqualTo(200);
            }
        } finally {
            threads.shutdown();
        }

        eventually(() ->
                assertThat(CredentialCalls.signingKids(platform)).hasSize(1).doesNotContainAnyElementsOf(revoked));
        assertTokensAreIssued();
    }

    private static void rotate() {
        platform.as("platform_superadmin").call("rotateSigningKey").send().expect(201);
    }

    private static void assertTokensAreIssued() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        var token = CredentialCalls.exchangeToken(platform, credential);
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("200 "));
    }

    private static List<String> publishedKids() {
        return platform.anonymous()
                .call("getJwks")
                .send()
                .expect(200)
                .body()
                .path("keys")
                .findValuesAsText("kid");
    }
}
