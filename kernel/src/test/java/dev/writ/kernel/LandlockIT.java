// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LandlockIT {
    @Test
    void the_version_agrees_with_what_the_kernel_says_of_itself() throws IOException {
        var modules = Path.of("/sys/kernel/security/lsm");
        int abi = Landlock.abi();

        assertThat(abi).isBetween(0, 100);
        if (Files.isReadable(modules)) {
            assertThat(abi > 0).isEqualTo(Files.readString(modules).contains("landlock"));
        }
    }
}
