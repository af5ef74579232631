// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountsTest {
    private static String type(String mounts, String path) {
        return Mounts.of(mounts).type(FilePath.of(path));
    }

    @ParameterizedTest
    @CsvSource({
        "/, xfs",
        "/home/me, xfs",
        "/proc/self, proc",
        "/mnt, xfs",
        "/mnt/my disk/deep, fuseblk",
        "/mnt/my disks, xfs",
        "/mnt/a\\b, exfat",
        "/mnt/a\\b/plain/x, ext4",
        "/mnt/donn\u00e9es, virtiofs"
    })
    void the_innermost_counts(String path, String type) {
        var mounts =
                """
                27 1 254:0 / / rw,relatime - xfs /dev/vda rw,discard
                22 27 0:21 / /proc rw,relatime shared:12 master:3 - proc proc rw
                45 43 7:0 / /mnt/a\\134b/plain rw - ext4 /dev/loop2 rw
                42 27 7:0 / /mnt/my\\040disk rw,nosuid - fuseblk /dev/loop0 rw,user_id=0
                43 27 7:0 / /mnt/a\\134b rw - exfat /dev/loop1 rw
                44 27 0:40 /x /mnt/donn\u00e9es rw - virtiofs - rw
                """;

        assertThat(type(mounts, path)).isEqualTo(type);
    }

    @Test
    void what_is_covered_does_not_count() {
        var mounts =
                """
                1 1 0:1 / / rw - rootfs none rw
                2 1 254:0 / / rw - xfs /dev/vda rw
                3 2 254:1 / /a/b rw - ext4 /dev/vdb rw
                4 2 254:2 / /a rw - tmpfs none rw
                5 4 254:3 / /a rw - exfat /dev/vdc rw
                """;

        assertThat(type(mounts, "/a/b/c")).isEqualTo("exfat");
        assertThat(type(mounts, "/")).isEqualTo("xfs");
    }

    @Test
    void where_nothing_is_known_no_kind_is() {
        assertThat(type("", "/a")).isEqualTo("unknown");
    }
}
