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
 * RSA by a native library, for JVMs whose second compiler is off, as it is in those of tests: without it they take a second of processor
 * time for a key and 15 ms for a signature, which was the largest part of what the tests of platforms cost. All else, TLS for one, is the JDK's.
 */
public final class NativeRsa extends Provider {
    private static final String NAME = "SlipwayTests";

    /** The JDK makes it, by its name in a file. */
    public NativeRsa() {
        super(NAME, "1", "RSA by a native library");
        var library = new OpenSSLProvider();
        take(library, "KeyPairGenerator", "RSA");
        take(library, "Signature", "SHA256withRSA");
    }

    private void take(Provider library, String type, String algorithm) {
        var service = library.getService(type, algorithm);
        putService(new Service(this, type, algorithm, service.getClassName(), List.of(), Map.of()));
    }

    /** What a program is started with, so that it makes its keys so; it signs as it always does. */
    static String option() {
        return "-Djava.security.properties=" + File.PATH;
    }

    /** In every JVM of tests. */
    public static final class InTests implements LauncherSessionListener {
        @Override
        public void launcherSessionOpened(LauncherSession session) {
            Security.insertProviderAt(new NativeRsa(), 1);
        }
    }

    /** It comes after all that the JDK has, which are numbered; and is asked first for keys alone. */
    private static final class File {
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
