package dev.slipway.testkit;

import org.conscrypt.OpenSSLProvider;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.Map;

/**
 * Provides RSA by a native library, for test JVMs, which run without the second JIT compiler: the JDK needs a second of processor time
 * for a key and 15 ms for a signature there. Everything else, such as TLS, uses the JDK.
 */
public final class NativeRsa extends Provider {
    private static final String NAME = "SlipwayTests";

    /** Instantiated by the JDK by name. */
    public NativeRsa() {
        super(NAME, "1", "RSA by a native library");
        var library = new OpenSSLProvider();
        install(library, "KeyPairGenerator", "RSA");
        install(library, "Signature", "SHA256withRSA");
    }

    private void install(Provider library, String type, String algorithm) {
        var service = library.getService(type, algorithm);
        putService(new Service(this, type, algorithm, service.getClassName(), List.of(), Map.of()));
    }

    /** Returns the JVM option that makes a program generate keys with this provider; it signs with the JDK. */
    static String findOption() {
        return "-Djava.security.properties=" + ConfigFile.PATH;
    }

    /** Installs the provider in every test JVM. */
    public static final class SessionListener implements LauncherSessionListener {
        @Override
        public void launcherSessionOpened(LauncherSession session) {
            Security.insertProviderAt(new NativeRsa(), 1);
        }
    }

    /** Adds the provider after those of the JDK, which are numbered, and prefers it for keys only. */
    private static final class ConfigFile {
        static final Path PATH = write();

        private static Path write() {
            var last = 0;
            while (Security.getProperty("security.provider." + (last + 1)) != null) {
                last++;
            }
            try {
                var file = Files.createTempFile("slipway-test", ".security");
                file.toFile().deleteOnExit();
                return Files.write(
                        file,
                        List.of(
                                "security.provider." + (last + 1) + "=" + NativeRsa.class.getName(),
                                "jdk.security.provider.preferred=KeyPairGenerator.RSA:" + NAME));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
