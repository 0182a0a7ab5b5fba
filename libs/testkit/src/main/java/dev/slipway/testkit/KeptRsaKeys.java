package dev.slipway.testkit;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * RSA keys that a build makes once, for the JVMs of its tests to take in turn. Each platform needs two, and one takes near a second of
 * processor time where the JVM's second compiler is off, as it is in those: it was half of what the tests of platforms cost.
 */
public final class KeptRsaKeys implements LauncherSessionListener {
    private static final String FILE = "slipway.test.keys";

    /** Many more than a test has in use at a time: what must differ differs. */
    private static final int DIFFERENT = 16;

    private static final int BITS = 2048;

    /** Makes them, into the file that is named; for a JVM with all its compilers. */
    public static void main(String[] file) throws IOException, GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(BITS);
        var lines = new ArrayList<String>();
        for (var i = 0; i < DIFFERENT; i++) {
            var key = generator.generateKeyPair().getPrivate();
            lines.add(Base64.getEncoder().encodeToString(key.getEncoded()));
        }
        Files.write(Path.of(file[0]), lines);
    }

    /** Where no build has made any, tests make their own. */
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (System.getProperty(FILE) != null) {
            Security.insertProviderAt(new Kept(), 1);
        }
    }

    private static final class Kept extends Provider {
        Kept() {
            super("SlipwayTests", "1", "RSA keys that were made before");
            var type = KeyPairGenerator.class.getSimpleName();
            putService(new Service(this, type, "RSA", Generator.class.getName(), List.of(), Map.of()));
        }
    }

    /** The JDK makes it, so it is public. */
    public static final class Generator extends KeyPairGeneratorSpi {
        private static final List<KeyPair> KEYS = read();
        private static final AtomicInteger NEXT = new AtomicInteger();

        @Override
        public void initialize(int bits, SecureRandom random) {
            if (bits != BITS) {
                throw new IllegalArgumentException("keys of " + BITS + " bits were made, not of " + bits);
            }
        }

        @Override
        public KeyPair generateKeyPair() {
            return KEYS.get(NEXT.getAndIncrement() % KEYS.size());
        }

        private static List<KeyPair> read() {
            try {
                var factory = KeyFactory.getInstance("RSA");
                var pairs = new ArrayList<KeyPair>();
                for (var line : Files.readAllLines(Path.of(System.getProperty(FILE)))) {
                    var encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(line));
                    var secret = (RSAPrivateCrtKey) factory.generatePrivate(encoded);
                    var open = new RSAPublicKeySpec(secret.getModulus(), secret.getPublicExponent());
                    pairs.add(new KeyPair(factory.generatePublic(open), secret));
                }
                return pairs;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
