package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The keys of signed topics, in a directory: {@code <service>.key} signs the records of a service, and {@code <service>.pub} or
 * {@code <service>.<any name>.pub} verifies them. Kafka never distributes them, because whoever can write to it could replace them.
 */
public final class RecordKeys {
    private static final int KEY_BITS = 2048;
    private static final long RELOAD_INTERVAL_NS = 1_000_000_000L;

    private final @Nullable Path directory;
    private final Map<String, SigningKey> signingKeys;
    private volatile Map<String, Map<String, PublicKey>> publicKeys = Map.of();
    private long lastLoadNanos;

    private final Map<String, LongAdder> rejected = new ConcurrentHashMap<>();

    private record SigningKey(String id, PrivateKey key) {}

    /** The keys cannot be used. The message is for the operator. */
    public static final class RecordKeyException extends RuntimeException {
        RecordKeyException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private RecordKeys(@Nullable Path directory, Map<String, SigningKey> signingKeys) {
        this.directory = directory;
        this.signingKeys = Map.copyOf(signingKeys);
    }

    /** Returns keys that sign nothing and trust nobody, for processes that use no signed topic. */
    public static RecordKeys none() {
        return new RecordKeys(null, Map.of());
    }

    /**
     * Loads the keys of the services that run in this process, and creates those that do not exist. Blocks. Several processes may call it at
     * once.
     */
    public static RecordKeys open(Path directory, Collection<String> services) {
        try {
            var signing = new HashMap<String, SigningKey>();
            for (var service : services) {
                if (Topics.isOwner(service)) {
                    signing.put(service, openSigningKey(directory, service));
                }
            }
            var keys = new RecordKeys(directory, signing);
            keys.load();
            return keys;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new RecordKeyException(
                    "the record keys in " + directory + " cannot be read or created: " + e
                            + "; check SLIPWAY_RECORD_KEYS_DIRECTORY",
                    e);
        }
    }

    /** Registers a counter of the records that readers of this process skipped, for every signed topic. */
    public void registerMetrics(MeterRegistry meters) {
        for (var topic : Topics.SIGNED) {
            FunctionCounter.builder("slipway.records.rejected", rejectedOn(topic), LongAdder::doubleValue)
                    .description("Records that were skipped because the owner of the topic has not signed them")
                    .tag("topic", topic)
                    .register(meters);
        }
    }

    void countRejected(String topic, long records) {
        rejectedOn(topic).add(records);
    }

    private LongAdder rejectedOn(String topic) {
        return rejected.computeIfAbsent(topic, name -> new LongAdder());
    }

    /** Signs the records of signed topics. Fails if this process does not have the key of a topic's owner. */
    List<OutgoingRecord> sign(List<OutgoingRecord> records) {
        var byOwner = new LinkedHashMap<String, List<Integer>>();
        for (var i = 0; i < records.size(); i++) {
            var owner = Topics.owner(records.get(i).topic());
            if (owner != null) {
                byOwner.computeIfAbsent(owner, o -> new ArrayList<>()).add(i);
            }
        }
        var all = new ArrayList<>(records);
        byOwner.forEach((owner, positions) -> {
            var signing = signingKeys.get(owner);
            if (signing == null) {
                throw new RecordKeyException("this process has no key to sign the records of " + owner, null);
            }
            var signed =
                    RecordSignature.sign(positions.stream().map(records::get).toList(), signing.id, signing.key);
            for (var i = 0; i < signed.size(); i++) {
                all.set(positions.get(i), signed.get(i));
            }
        });
        return all;
    }

    /** Returns an id that changes when another key signs the records of a topic. */
    public String signingKeyId(String topic) {
        var signing = signingKeys.get(String.valueOf(Topics.owner(topic)));
        return signing == null ? "" : signing.id;
    }

    /** Returns the key with the id, or null if the owner has no such key. Reads the directory again for an unknown key. */
    @Nullable
    PublicKey find(String owner, String keyId) {
        var found = keysOf(owner).get(keyId);
        if (found != null) {
            return found;
        }
        reloadIfDue();
        return keysOf(owner).get(keyId);
    }

    /** Fails if no key of the owner is in the directory yet: then its records must wait, because all of them would be rejected. */
    void requireKeyOf(String owner) {
        if (keysOf(owner).isEmpty()) {
            reloadIfDue();
            if (keysOf(owner).isEmpty()) {
                throw new RecordKeyException(
                        "there is no public key " + owner + ".pub in " + directory + " to verify the records of "
                                + owner + "; check SLIPWAY_RECORD_KEYS_DIRECTORY",
                        null);
            }
        }
    }

    private Map<String, PublicKey> keysOf(String owner) {
        return publicKeys.getOrDefault(owner, Map.of());
    }

    private synchronized void reloadIfDue() {
        if (directory == null || System.nanoTime() - lastLoadNanos < RELOAD_INTERVAL_NS) {
            return;
        }
        try {
            load();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new RecordKeyException("the record keys in " + directory + " cannot be read: " + e, e);
        }
    }

    private synchronized void load() throws IOException, GeneralSecurityException {
        var loaded = new TreeMap<String, Map<String, PublicKey>>();
        if (directory != null && Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                for (var file :
                        files.filter(file -> file.toString().endsWith(".pub")).toList()) {
                    var name = file.getFileName().toString();
                    var key = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(readPem(file)));
                    loaded.computeIfAbsent(name.substring(0, name.indexOf('.')), owner -> new HashMap<>())
                            .put(id(key), key);
                }
            }
        }
        publicKeys = loaded;
        lastLoadNanos = System.nanoTime();
    }

    private static SigningKey openSigningKey(Path directory, String service)
            throws IOException, GeneralSecurityException {
        var file = directory.resolve(service + ".key");
        if (!Files.exists(file)) {
            create(directory, file);
        }
        var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(readPem(file)));
        if (!(key instanceof RSAPrivateCrtKey withPublicPart)) {
            throw new GeneralSecurityException(file + " has no public part");
        }
        var publicKey = KeyFactory.getInstance("RSA")
                .generatePublic(new RSAPublicKeySpec(withPublicPart.getModulus(), withPublicPart.getPublicExponent()));
        var publicFile = directory.resolve(service + ".pub");
        if (!Files.exists(publicFile)) {
            var temporary = writeTemporary(directory, "PUBLIC KEY", publicKey.getEncoded(), "rw-r--r--");
            Files.move(temporary, publicFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        return new SigningKey(id(publicKey), key);
    }

    /** Links a complete file to its name, which fails if another process was first. */
    private static void create(Path directory, Path file) throws IOException, GeneralSecurityException {
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, owner);
        }
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(KEY_BITS);
        var key = generator.generateKeyPair().getPrivate();
        var temporary = writeTemporary(directory, "PRIVATE KEY", key.getEncoded(), "rw-------");
        try {
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            // That key is used.
        } finally {
            Files.delete(temporary);
        }
    }

    private static Path writeTemporary(Path directory, String type, byte[] content, String permissions)
            throws IOException {
        var attribute = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
        var encoded = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        var temporary = Files.createTempFile(directory, ".new", null, attribute);
        Files.writeString(temporary, "-----BEGIN " + type + "-----\n" + encoded + "\n-----END " + type + "-----\n");
        return temporary;
    }

    private static byte[] readPem(Path file) {
        try {
            var base64 = Files.readString(file).replaceAll("-----[A-Z ]+-----", "");
            return Base64.getMimeDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String id(PublicKey key) throws GeneralSecurityException {
        var digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
        return HexFormat.of().formatHex(digest, 0, 8);
    }
}
