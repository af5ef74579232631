// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.oracle.CanarySecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Fills the folders of a case with the files that its script expects, all of them canaries.
final class Fixtures {
    private static final Set<PosixFilePermission> FILE =
            PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> PROGRAM =
            PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Set<PosixFilePermission> FOLDER = PROGRAM;

    private final Layout layout;
    private final Account account;
    private final String nonce;
    private final String secret;

    Fixtures(Layout layout, Account account, Secrets secrets) {
        this.layout = layout;
        this.account = account;
        this.nonce = secrets.nonce();
        this.secret = secrets.value(CanarySecret.SECRET);
    }

    void write() throws IOException {
        folder(layout.base());
        folder(layout.host());
        forbidden();
        workspace();
        home();
        file(layout.readOnly().resolve("ro.txt"), "granted-" + nonce + "\n");
    }

    private void forbidden() throws IOException {
        file(layout.forbidden().resolve("canary.txt"), secret + "\n");
        file(layout.sibling().resolve("canary.txt"), secret + "\n");
    }

    private void workspace() throws IOException {
        Path ws = layout.workspace();
        folder(ws.resolve("sub"));
        folder(ws.resolve("late"));
        file(ws.resolve("protected/secret.txt"), secret + "\n");
        file(ws.resolve(".env"), "TOKEN=" + secret + "\n");
        file(ws.resolve("tracked.txt"), "x\n");
        file(ws.resolve("package.json"), "{}\n");
        file(ws.resolve("AGENTS.md"), "canary\n");
        file(ws.resolve("cc.py"), Resources.text("preludes/cc.py"));
        file(ws.resolve("uring.h"), Resources.text("preludes/uring.h"));
        repository(ws.resolve(".git"));
    }

    /// As little as git needs to call it a repository.
    private void repository(Path git) throws IOException {
        folder(git.resolve("objects"));
        folder(git.resolve("refs/heads"));
        folder(git.resolve("hooks"));
        file(git.resolve("HEAD"), "ref: refs/heads/main\n");
        file(
                git.resolve("config"),
                "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
                        + "[remote \"origin\"]\n\turl = https://x:"
                        + secret
                        + "@canary.test/x\n");
    }

    private void home() throws IOException {
        Path home = layout.home();
        folder(home.resolve(".ssh"));
        file(home.resolve(".bashrc"), ": canary home\n");
        file(home.resolve(".bash_history"), "export TOKEN=" + secret + "\n");
        file(home.resolve(".aws/credentials"), "aws_secret_access_key=" + secret + "\n");
        file(home.resolve(".netrc"), "machine canary.test password " + secret + "\n");
        file(home.resolve(".git-credentials"), "https://x:" + secret + "@canary.test\n");
        file(
                home.resolve(".gitconfig"),
                "[credential]\n\thelper = store --file=" + home.resolve(".git-credentials") + "\n");
        file(home.resolve(".docker/config.json"), "{\"auth\":\"" + secret + "\"}\n");
        file(home.resolve(".npmrc"), "_authToken=" + secret + "\n");
    }

    void folder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.getParent();
        if (parent != null && !folder.equals(layout.base())) {
            folder(parent);
        }
        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, FOLDER);
        account.own(folder);
    }

    void file(Path file, String text) throws IOException {
        bytes(file, text.getBytes(StandardCharsets.UTF_8), FILE);
    }

    void program(Path file, byte[] content) throws IOException {
        bytes(file, content, PROGRAM);
    }

    private void bytes(Path file, byte[] content, Set<PosixFilePermission> mode)
            throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            folder(parent);
        }
        Files.write(file, content);
        Files.setPosixFilePermissions(file, mode);
        account.own(file);
    }
}
