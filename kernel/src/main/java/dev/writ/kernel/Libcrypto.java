// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// Ed25519 and SHA-256 by the OpenSSL 3 of this machine. To sign in Java takes a tenth of a second
/// of processor time in a JVM that has just started; this takes a few milliseconds. To digest takes
/// it ten times as long.
///
/// Keys and signatures have to be looked at first: it is not asked whether they are sound.
public final class Libcrypto {
    /// Named by their whole path, whatever the environment says about where libraries are.
    private static final List<String> PLACES =
            List.of(
                    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
                    "/usr/lib/aarch64-linux-gnu/libcrypto.so.3",
                    "/usr/lib64/libcrypto.so.3",
                    "/usr/lib/libcrypto.so.3",
                    "/lib/libcrypto.so.3");

    private static final int RTLD_LAZY = 1;
    private static final long NO_ATEXIT_NO_CONFIG = 0x8_0080;
    private static final int ED25519 = 1087;
    private static final int KEY = 32;
    private static final int SIGNATURE = 64;
    private static final int DIGEST = 32;
    private static final int PIECE = 1 << 18;

    /// The first example of RFC 8032: a secret, and its signature over nothing.
    private static final byte[] SECRET =
            HexFormat.of()
                    .parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

    private static final byte[] SIGNED =
            HexFormat.of()
                    .parseHex(
                            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb88"
                                    + "21590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");

    private final MemorySegment newSecret;
    private final MemorySegment newKey;
    private final MemorySegment freeKey;
    private final MemorySegment newContext;
    private final MemorySegment freeContext;
    private final MemorySegment beginToSign;
    private final MemorySegment sign;
    private final MemorySegment beginToVerify;
    private final MemorySegment verify;
    private final MemorySegment kindOfDigest;
    private final MemorySegment beginToDigest;
    private final MemorySegment digest;
    private final MemorySegment endDigest;

    private Libcrypto(Kernel kernel, long library) {
        newSecret = function(kernel, library, "EVP_PKEY_new_raw_private_key");
        newKey = function(kernel, library, "EVP_PKEY_new_raw_public_key");
        freeKey = function(kernel, library, "EVP_PKEY_free");
        newContext = function(kernel, library, "EVP_MD_CTX_new");
        freeContext = function(kernel, library, "EVP_MD_CTX_free");
        beginToSign = function(kernel, library, "EVP_DigestSignInit");
        sign = function(kernel, library, "EVP_DigestSign");
        beginToVerify = function(kernel, library, "EVP_DigestVerifyInit");
        verify = function(kernel, library, "EVP_DigestVerify");
        kindOfDigest = function(kernel, library, "EVP_sha256");
        beginToDigest = function(kernel, library, "EVP_DigestInit_ex");
        digest = function(kernel, library, "EVP_DigestUpdate");
        endDigest = function(kernel, library, "EVP_DigestFinal_ex");
        // It would read settings otherwise, which name more libraries to load.
        kernel.invoke(
                function(kernel, library, "OPENSSL_init_crypto"), NO_ATEXIT_NO_CONFIG, 0, 0, 0, 0);
    }

    /// What was found, looked for once.
    private static final class Found {
        static final Optional<Libcrypto> LIBRARY = load();
    }

    /// The one of this machine, if it has one that signs as it should.
    public static Optional<Libcrypto> find() {
        return Found.LIBRARY;
    }

    private static Optional<Libcrypto> load() {
        for (var place : PLACES) {
            if (Files.exists(Path.of(place))) {
                return load(place);
            }
        }
        return Optional.empty();
    }

    private static Optional<Libcrypto> load(String place) {
        try (var kernel = new Kernel()) {
            long name = kernel.text(place.getBytes(US_ASCII)).address();
            long library = kernel.value(Kernel.function("dlopen"), name, RTLD_LAZY, 0, 0, 0);
            if (library == 0) {
                return Optional.empty();
            }
            var found = new Libcrypto(kernel, library);
            return Arrays.equals(found.sign(SECRET, new byte[0]), SIGNED)
                    ? Optional.of(found)
                    : Optional.empty();
        } catch (KernelException e) {
            return Optional.empty(); // another one than we know
        }
    }

    private static MemorySegment function(Kernel kernel, long library, String name) {
        long text = kernel.text(name.getBytes(US_ASCII)).address();
        long found = kernel.value(Kernel.function("dlsym"), library, text, 0, 0, 0);
        if (found == 0) {
            throw new KernelException(name, Errno.ENOSYS);
        }
        return MemorySegment.ofAddress(found);
    }

    /// The signature of the key with `secret` over `message`.
    ///
    /// @throws KernelException if the library does not do it
    public byte[] sign(byte[] secret, byte[] message) {
        try (var kernel = new Kernel()) {
            var hidden = memory(kernel, secret, KEY);
            var length = kernel.memory(Long.BYTES);
            length.set(JAVA_LONG, 0, SIGNATURE);
            var signature = kernel.memory(SIGNATURE);
            long key = kernel.value(newSecret, ED25519, 0, hidden.address(), KEY, 0);
            hidden.fill((byte) 0);
            boolean done =
                    isDone(kernel, beginToSign, sign, key, signature, length.address(), message);
            if (!done || length.get(JAVA_LONG, 0) != SIGNATURE) {
                throw new KernelException("EVP_DigestSign", Errno.EINVAL);
            }
            return signature.toArray(JAVA_BYTE);
        }
    }

    /// Whether `signature` is that of the key `open` over `message`.
    public boolean verifies(byte[] open, byte[] message, byte[] signature) {
        try (var kernel = new Kernel()) {
            var given = memory(kernel, signature, SIGNATURE);
            long point = memory(kernel, open, KEY).address();
            long key = kernel.value(newKey, ED25519, 0, point, KEY, 0);
            return isDone(kernel, beginToVerify, verify, key, given, SIGNATURE, message);
        }
    }

    /// Signs or verifies, and lets go of `key`.
    ///
    /// @param size the length of the signature, or where it stands
    private boolean isDone(
            Kernel kernel,
            MemorySegment begin,
            MemorySegment end,
            long key,
            MemorySegment signature,
            long size,
            byte[] message) {
        long text = kernel.text(message).address();
        long context = kernel.value(newContext, 0, 0, 0, 0, 0);
        boolean done =
                key != 0
                        && context != 0
                        && kernel.invoke(begin, context, 0, 0, 0, key) == 1
                        && kernel.invoke(
                                        end,
                                        context,
                                        signature.address(),
                                        size,
                                        text,
                                        message.length)
                                == 1;
        kernel.invoke(freeContext, context, 0, 0, 0, 0);
        kernel.invoke(freeKey, key, 0, 0, 0, 0);
        return done;
    }

    /// The SHA-256 of what can be read from `descriptor`, of its first `most` bytes: who writes it
    /// may not come to an end. Empty if it cannot be read.
    public byte[] sha256(int descriptor, long most) {
        try (var kernel = new Kernel()) {
            long kind = kernel.value(kindOfDigest, 0, 0, 0, 0, 0);
            long context = kernel.value(newContext, 0, 0, 0, 0, 0);
            var result = kernel.memory(DIGEST);
            boolean done =
                    context != 0
                            && kernel.invoke(beginToDigest, context, kind, 0, 0, 0) == 1
                            && isDigested(kernel, context, descriptor, most)
                            && kernel.invoke(endDigest, context, result.address(), 0, 0, 0) == 1;
            kernel.invoke(freeContext, context, 0, 0, 0, 0);
            return done ? result.toArray(JAVA_BYTE) : new byte[0];
        }
    }

    private boolean isDigested(Kernel kernel, long context, int descriptor, long most) {
        long piece = Math.clamp(most, 1, PIECE);
        long buffer = kernel.memory(piece).address();
        long left = most;
        long read = 1;
        while (left > 0 && read != 0) {
            read = kernel.call(Call.READ.number(), descriptor, buffer, Math.min(left, piece));
            if (read == -Errno.EINTR) {
                continue;
            }
            if (read < 0 || kernel.invoke(digest, context, buffer, read, 0, 0) != 1) {
                return false;
            }
            left -= read;
        }
        return true;
    }

    private static MemorySegment memory(Kernel kernel, byte[] bytes, int length) {
        if (bytes.length != length) {
            throw new IllegalArgumentException("not " + length + " bytes: " + bytes.length);
        }
        return kernel.text(bytes);
    }
}
