// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.core.capability.FilePath;
import java.util.List;
import org.junit.jupiter.api.Test;

class LettersTest {
    @Test
    void what_is_mounted_is_looked_at_unless_its_kind_is_known_to_tell_letters_apart() {
        var mounts =
                """
                27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
                22 27 0:21 / /proc rw,relatime shared:12 master:3 - proc proc rw
                42 27 7:0 / /mnt/my\\040disk rw,nosuid - fuseblk /dev/loop0 rw,user_id=0
                43 27 7:0 / /mnt/a\\134b rw - exfat /dev/loop1 rw
                44 27 0:40 /x /mnt/donn\u00e9es rw - virtiofs - rw
                """;

        assertThat(Letters.others(mounts))
                .isEqualTo(
                        List.of(
                                new Letters.Mount(FilePath.of("/mnt/my disk"), "fuseblk"),
                                new Letters.Mount(FilePath.of("/mnt/a\\b"), "exfat"),
                                new Letters.Mount(FilePath.of("/mnt/donn\u00e9es"), "virtiofs")));
    }

    @Test
    void the_other_name_has_each_letter_in_the_other_case() {
        assertThat(Letters.other(".Git-7")).isEqualTo(".gIT-7");
        assertThat(Letters.other("123")).isEqualTo("123");
    }
}
