// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// What starts Writ as a process of its own, from the classes under test.
final class LauncherFile {
    private LauncherFile() {}

    static Path in(Path folder) throws IOException {
        var launcher = folder.resolve("writ");
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec "
                        + ProcessHandle.current().info().command().orElseThrow()
                        + " --enable-native-access=ALL-UNNAMED -Dwrit.launcher="
                        + launcher
                        + " -cp '"
                        + classPath()
                        + "' dev.writ.cli.Main \"$@\"\n");
        return Files.setPosixFilePermissions(
                launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String classPath() {
        var modules = System.getProperty("jdk.module.path", "");
        var patched = Path.of("target", "classes").toAbsolutePath();
        return modules
                + File.pathSeparator
                + patched
                + File.pathSeparator
                + System.getProperty("java.class.path", "");
    }
}
