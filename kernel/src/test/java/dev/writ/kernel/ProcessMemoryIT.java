// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Reads the memory of this process, in which the page after the one that is used is not there. A
/// child is read in [NotificationsIT].
class ProcessMemoryIT {
    private static final int PAGE = 4096;
    private static final int SELF = (int) ProcessHandle.current().pid();
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    private final Kernel kernel = new Kernel();
    private final ProcessMemory memory = new ProcessMemory(kernel);
    private long start;
    private MemorySegment pages;

    // SAFETY: two pages are mapped, and only they are touched.
    @SuppressWarnings("restricted")
    @BeforeEach
    void given() {
        start =
                Kernel.check(
                        "mmap",
                        kernel.call(
                                Call.MMAP.number(),
                                0,
                                3 * PAGE,
                                PROT_READ_WRITE,
                                MAP_PRIVATE_ANONYMOUS,
                                -1,
                                0));
        kernel.call(Call.MUNMAP.number(), start + 2 * PAGE, PAGE);
        pages = MemorySegment.ofAddress(start).reinterpret(2 * PAGE);
        pages.fill((byte) 'x');
    }

    @AfterEach
    void end() {
        kernel.call(Call.MUNMAP.number(), start, 2 * PAGE);
        kernel.close();
    }

    @Test
    void a_text_ends_at_its_zero() {
        pages.set(JAVA_BYTE, 3, (byte) 0);

        assertThat(memory.text(SELF, start)).asString().isEqualTo("xxx");
        assertThat(memory.text(SELF, start + 3)).isEmpty();
    }

    @Test
    void a_text_may_lie_across_pages_and_at_the_end_of_the_last() {
        pages.set(JAVA_BYTE, 2 * PAGE - 1, (byte) 0);

        pages.set(JAVA_BYTE, PAGE + 500, (byte) 0);
        assertThat(memory.text(SELF, start + PAGE - 500)).hasSize(1000);
        assertThat(memory.text(SELF, start + 2 * PAGE - 4)).asString().isEqualTo("xxx");
    }

    @Test
    void a_text_that_does_not_end_is_none() {
        assertThat(memory.text(SELF, start + 2 * PAGE - 4)).isNull();
        assertThat(memory.text(SELF, start)).as("longer than any path").isNull();
    }

    @Test
    void what_is_not_there_is_nothing() {
        assertThat(memory.text(SELF, start + 2 * PAGE)).isNull();
        assertThat(memory.text(SELF, 0)).isNull();
        assertThat(memory.bytes(SELF, start + 2 * PAGE - 4, 5)).isNull();
        assertThat(memory.bytes(SELF, start, -1)).isNull();
        assertThat(memory.longs(SELF, start + 2 * PAGE - 8, 2)).isNull();
        assertThat(memory.bytes(Integer.MAX_VALUE, start, 1)).isNull();
    }

    @Test
    void bytes_and_longs_are_read_as_they_are() {
        pages.set(JAVA_LONG, 8, 42);

        assertThat(memory.longs(SELF, start + 8, 1)).containsExactly(42);
        assertThat(memory.bytes(SELF, start + 6, 3)).containsExactly('x', 'x', 42);
        assertThat(memory.bytes(SELF, start, 0)).isEmpty();
    }
}
