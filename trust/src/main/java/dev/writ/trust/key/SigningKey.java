// SPDX-License-Identifier: Apache-2.0
package dev.writ.trust.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.digest.Sha256;
import dev.writ.kernel.Libcrypto;
import dev.writ.trust.file.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/// An Ed25519 key that signs under a name. Nothing of the cryptography is loaded before the first
/// signature, so that reading a key costs next to nothing.
public final class SigningKey {
    private static final int MOST = 10_000;

    private final VerifyingKey verifying;
    private final byte[] secret;

    private SigningKey(VerifyingKey verifying, byte[] secret) {
        this.verifying = verifying;
        this.secret = secret;
    }

    /// Makes the cryptography ready, for who will need it soon and has a thread to spare: a key
    /// that is nobody's signs something.
    public static void prepare() {
        Sha256.of(new byte[0]);
        byte[] point = new byte[32];
        Arrays.fill(point, (byte) 0x66);
        point[0] = 0x58; // the point that all others are multiples of
        var nobody = new SigningKey(new VerifyingKey("nobody", point), new byte[32]);
        var _ = nobody.verifying.verifies(point, nobody.sign(point));
    }

    /// Makes a new key.
    public static SigningKey make(String name) {
        byte[] secret = Ed25519.secret();
        return new SigningKey(new VerifyingKey(name, Ed25519.publicOf(secret)), secret);
    }

    /// Reads a key from its file.
    ///
    /// @throws KeyException if it cannot be read, or is not this user's alone
    public static SigningKey load(Path file, String name) {
        try {
            refuseShared(file);
            byte[] bytes = WholeFile.read(file, MOST);
            if (bytes == null) {
                throw new KeyException("there is no key `" + file + "`");
            }
            String text = new String(bytes, UTF_8);
            byte[] secret = Pem.PRIVATE.find(text);
            byte[] point = Pem.PUBLIC.find(text);
            if (secret == null || point == null) {
                throw new KeyException(
                        "not a PEM file with an Ed25519 private key and its public key: `"
                                + file
                                + "`; put it back from a copy, or remove it to have a new key made");
            }
            return new SigningKey(new VerifyingKey(name, point), secret);
        } catch (IOException e) {
            throw new KeyException("the key `" + file + "` cannot be read", e);
        }
    }

    private static void refuseShared(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        var attributes =
                Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String mode = PosixFilePermissions.toString(attributes.permissions());
        if (!attributes.isRegularFile() || !mode.endsWith("------")) {
            throw new KeyException(
                    "the key `"
                            + file
                            + "` must be an ordinary file that only its owner can read and write,"
                            + " but its mode is "
                            + mode
                            + "; if nobody else has seen it: chmod 600 "
                            + file);
        }
        var folder = file.toAbsolutePath().getParent();
        String around = PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
        if (around.charAt(4) == 'w' || around.charAt(7) == 'w') {
            throw new KeyException(
                    "others can write to the folder of the key `"
                            + file
                            + "` and so replace it; make the folder yours: chmod 700 "
                            + folder);
        }
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(user)) {
            throw new KeyException(
                    "the key `"
                            + file
                            + "` belongs to user "
                            + owner
                            + ", and this process runs as user "
                            + user
                            + "; use a state folder of your own");
        }
    }

    /// Writes the key to a file that nobody else can read, in place of any that is there. The
    /// public half stands behind it, so that it need not be computed.
    public void save(Path file) {
        try {
            String text = Pem.PRIVATE.write(secret) + Pem.PUBLIC.write(verifying.point());
            WholeFile.replaceSecretly(file, text.getBytes(UTF_8));
        } catch (IOException e) {
            throw new KeyException("the key `" + file + "` cannot be written", e);
        }
    }

    public VerifyingKey verifying() {
        return verifying;
    }

    public String name() {
        return verifying.name();
    }

    /// The 64 bytes of a signature over `message`.
    public byte[] sign(byte[] message) {
        var library = Libcrypto.find();
        return library.isPresent()
                ? library.get().sign(secret, message)
                : Ed25519.sign(secret, verifying.point(), message);
    }

    /// Never the secret.
    @Override
    public String toString() {
        return "SigningKey[" + verifying + "]";
    }
}
