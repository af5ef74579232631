// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.tls;

import dev.writ.core.capability.FilePath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What programs find in place of the files that say whom they trust: the same certificates, and
/// that of the session's authority. Nothing is written to the disk.
///
/// May be used from several threads.
public final class Bundles {
    /// Programs and libraries that do not read the system's bundle unless they are told.
    public static final List<String> VARIABLES =
            List.of(
                    SystemBundle.VARIABLE, // OpenSSL (Python, Ruby, PHP, .NET), Go, rustls
                    "NODE_EXTRA_CA_CERTS",
                    "REQUESTS_CA_BUNDLE",
                    "CURL_CA_BUNDLE",
                    "GIT_SSL_CAINFO",
                    "CARGO_HTTP_CAINFO",
                    "PIP_CERT",
                    "DENO_CERT",
                    "AWS_CA_BUNDLE",
                    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH");

    /// Files that languages bring along, by the end of their paths.
    private static final List<FilePath> PEM_ENDS =
            List.of(FilePath.of("/certifi/cacert.pem"), FilePath.of("/botocore/cacert.pem"));

    private static final List<FilePath> JAVA_ENDS =
            List.of(FilePath.of("/lib/security/cacerts"), FilePath.of("/java/cacerts"));

    private static final int MOST_BYTES = 2 << 20;
    private static final int MOST_FILES = 16;
    private static final char[] USUAL_PASSWORD = "changeit".toCharArray();

    private record State(@Nullable Object key, FileTime changed, long size) {}

    private record Made(State from, byte[] contents) {}

    private final Authority authority;
    private final Optional<Path> bundle;
    private final Set<FilePath> bundles = new HashSet<>();
    private final Map<FilePath, Made> made =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<FilePath, Made> eldest) {
                    return size() > MOST_FILES;
                }
            };

    /// @param variables the operator's, among which may be `SSL_CERT_FILE`
    public Bundles(Authority authority, Map<String, String> variables) {
        this.authority = authority;
        this.bundle = SystemBundle.of(variables);
        SystemBundle.PLACES.forEach(p -> bundles.add(FilePath.of(p)));
        bundle.ifPresent(b -> bundles.add(FilePath.of(b.toAbsolutePath().normalize().toString())));
    }

    /// Variables that tell programs where the certificates are; none if this machine has no bundle.
    public Map<String, String> environment() {
        var variables = new HashMap<String, String>();
        bundle.ifPresent(b -> VARIABLES.forEach(name -> variables.put(name, b.toString())));
        return variables;
    }

    /// What a program that opens `file` for reading is to find; empty if the file itself.
    ///
    /// @param object where to read it: by its name another may have taken its place
    public synchronized Optional<byte[]> instead(FilePath file, Path object) {
        boolean pem = bundles.contains(file) || endsLike(file, PEM_ENDS);
        if (!pem && !endsLike(file, JAVA_ENDS)) {
            return Optional.empty();
        }
        try {
            var found = Files.readAttributes(object, BasicFileAttributes.class);
            if (!found.isRegularFile() || found.size() > MOST_BYTES) {
                return Optional.empty();
            }
            var state = new State(found.fileKey(), found.lastModifiedTime(), found.size());
            var known = made.get(file);
            if (known == null || !known.from().equals(state)) {
                var contents = read(object);
                known = new Made(state, pem ? withPem(contents) : withEntry(contents));
                made.put(file, known);
            }
            return Optional.of(known.contents().clone());
        } catch (IOException | GeneralSecurityException e) {
            // The program finds the file as it is, and does not trust us: nothing is opened by
            // that.
            return Optional.empty();
        }
    }

    private static boolean endsLike(FilePath file, List<FilePath> ends) {
        var segments = file.segments();
        return ends.stream()
                .map(FilePath::segments)
                .anyMatch(
                        end ->
                                segments.size() >= end.size()
                                        && segments.subList(
                                                        segments.size() - end.size(),
                                                        segments.size())
                                                .equals(end));
    }

    private static byte[] read(Path path) throws IOException {
        try (var in = Files.newInputStream(path)) {
            return in.readNBytes(MOST_BYTES);
        }
    }

    private byte[] withPem(byte[] bundle) {
        var out = new ByteArrayOutputStream(bundle.length + 1024);
        out.writeBytes(bundle);
        if (bundle.length > 0 && bundle[bundle.length - 1] != '\n') {
            out.write('\n');
        }
        out.writeBytes(authority.pem().getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    /// In the older of Java's two forms: every Java reads it, with a password or without.
    private byte[] withEntry(byte[] cacerts) throws GeneralSecurityException, IOException {
        var store = load(cacerts);
        var copy = KeyStore.getInstance("JKS");
        copy.load(null, null);
        for (var alias : Collections.list(store.aliases())) {
            if (store.isCertificateEntry(alias)) {
                copy.setCertificateEntry(alias, store.getCertificate(alias));
            }
        }
        copy.setCertificateEntry("writ-session", authority.certificate());
        var out = new ByteArrayOutputStream(cacerts.length + 1024);
        copy.store(out, USUAL_PASSWORD);
        return out.toByteArray();
    }

    private static KeyStore load(byte[] cacerts) throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("JKS");
        try {
            store.load(new ByteArrayInputStream(cacerts), USUAL_PASSWORD);
        } catch (IOException e) {
            store.load(new ByteArrayInputStream(cacerts), null);
        }
        return store;
    }
}
