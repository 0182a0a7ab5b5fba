package dev.slipway.testkit;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * In a JVM that runs tests, only the first few RSA keys are new, and then they come round again. Each platform makes two, and near a second
 * of processor time goes into one where the JVM's second compiler is off, as it is there: it was half of what the tests of platforms cost.
 */
public final class KeptRsaKeys implements LauncherSessionListener {
    /** More than any test has in use at a time. */
    private static final int DIFFERENT = 4;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Security.insertProviderAt(new Kept(), 1);
    }

    private static final class Kept extends Provider {
        Kept() {
            super("SlipwayTests", "1", "RSA keys that were made before");
            var type = KeyPairGenerator.class.getSimpleName();
            putService(new Service(this, type, "RSA", Generator.class.getName(), List.of(), Map.of()));
        }
    }

    /** As the JDK makes it, so it is public. */
    public static final class Generator extends KeyPairGeneratorSpi {
        private static final Map<String, KeyPair> KEYS = new ConcurrentHashMap<>();
        private static final AtomicInteger NEXT = new AtomicInteger();

        private int bits = 2048;

        @Override
        public void initialize(int keySize, SecureRandom random) {
            bits = keySize;
        }

        @Override
        public KeyPair generateKeyPair() {
            var number = NEXT.getAndIncrement() % DIFFERENT;
            return KEYS.computeIfAbsent(bits + "/" + number, unused -> made(bits));
        }

        private static KeyPair made(int bits) {
            try {
                var generator = KeyPairGenerator.getInstance("RSA", "SunRsaSign");
                generator.initialize(bits);
                return generator.generateKeyPair();
            } catch (NoSuchAlgorithmException | NoSuchProviderException e) {
                throw new IllegalStateException("this JVM makes RSA keys in another way", e);
            }
        }
    }
}
