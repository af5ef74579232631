// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallTest {
    private static final Path X86_64 = Path.of("/usr/include/x86_64-linux-gnu/asm/unistd_64.h");
    private static final Path GENERIC = Path.of("/usr/include/asm-generic/unistd.h");

    /// Not calls: two marks, and a call for 32-bit Arm and PowerPC that shares a number with ours.
    private static final Set<String> NOT_ON_AARCH64 =
            Set.of("syscalls", "arch_specific_syscall", "sync_file_range2");

    /// The last number of Linux 6.18. A header may know more.
    private static final int NEWEST = 469;

    @Test
    void numbers_on_x86_64_are_those_of_the_header() throws IOException {
        assumeThat(X86_64).exists();
        var header = definitions(X86_64);

        assertAgree(header, Arch.X86_64);
    }

    /// aarch64 takes the generic table with every part that is optional for a 64-bit kernel.
    @Test
    void numbers_on_aarch64_are_those_of_the_generic_header() throws IOException {
        assumeThat(GENERIC).exists();
        var header = definitions(GENERIC);
        header.keySet().removeAll(NOT_ON_AARCH64);
        // 403 to 423 are the calls of 32-bit kernels with 64-bit time.
        header.values().removeIf(number -> number >= 403 && number <= 423);

        assertAgree(header, Arch.AARCH64);
    }

    private static void assertAgree(Map<String, Integer> header, Arch arch) {
        var ours =
                Arrays.stream(Call.values())
                        .filter(call -> call.exists(arch))
                        .collect(Collectors.toMap(CallTest::name, call -> call.number(arch)));
        header.values().removeIf(number -> number > NEWEST);
        int newest = header.values().stream().mapToInt(Integer::intValue).max().orElseThrow();

        assertThat(header).hasSizeGreaterThan(300);
        assertThat(ours).containsAllEntriesOf(header);
        // A header may be older than the table: then what it lacks is newer than all it has.
        ours.keySet().removeAll(header.keySet());
        // These two are old numbers for new calls, of x86-64 only.
        ours.keySet().removeAll(Set.of("uretprobe", "uprobe"));
        assertThat(ours.values()).allMatch(number -> number > newest && number <= NEWEST);
    }

    @ParameterizedTest
    @EnumSource
    void no_number_is_used_twice(Arch arch) {
        var seen = new HashSet<Integer>();

        for (var call : Call.values()) {
            assertThat(!call.exists(arch) || seen.add(call.number(arch))).as(call.name()).isTrue();
        }
        assertThat(seen).hasSizeGreaterThan(300);
    }

    @ParameterizedTest
    @EnumSource
    void calls_since_5_1_have_one_number_everywhere_and_leave_no_gap(Arch arch) {
        var numbers =
                Arrays.stream(Call.values())
                        .map(call -> call.number(arch))
                        .filter(number -> number >= 424)
                        .sorted()
                        .toList();

        assertThat(numbers.getFirst()).isEqualTo(424);
        assertThat(numbers.getLast()).isEqualTo(NEWEST);
        assertThat(numbers).hasSize(NEWEST - 424 + 1);
    }

    @Test
    void a_call_that_an_architecture_lacks_has_no_number_there() {
        assertThat(Call.OPEN.number(Arch.AARCH64)).isEqualTo(Call.NONE);
        assertThat(Call.OPEN.exists(Arch.AARCH64)).isFalse();
        assertThat(Call.OPENAT.number(Arch.X86_64)).isEqualTo(257);
        assertThat(Call.OPENAT.number(Arch.AARCH64)).isEqualTo(56);
        assertThat(Call.OPENAT.number()).isEqualTo(Call.OPENAT.number(Arch.here()));
    }

    private static String name(Call call) {
        return call.name().toLowerCase(Locale.ROOT);
    }

    /// Every `__NR_name` of a header with its number. The generic one names some of them by way of
    /// `__NR3264_name`, first for 64 bits, then for 32.
    private static Map<String, Integer> definitions(Path header) throws IOException {
        var define = Pattern.compile("#define __NR(_|3264_)(\\w+)\\s+(?:(\\d+)|__NR3264_(\\w+))");
        var numbers = new HashMap<String, Integer>();
        var both = new HashMap<String, Integer>();
        for (var line : Files.readAllLines(header)) {
            var match = define.matcher(line);
            if (!match.lookingAt()) {
                continue;
            }
            if (match.group(4) != null) {
                var number = both.remove(match.group(4));
                if (number != null) {
                    numbers.put(match.group(2), number);
                }
            } else {
                (match.group(1).equals("_") ? numbers : both)
                        .put(match.group(2), Integer.valueOf(match.group(3)));
            }
        }
        return numbers;
    }
}
