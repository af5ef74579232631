// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.writ.kernel.Bpf.Instruction;
import dev.writ.kernel.BpfAssembler.Label;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BpfTest {
    private static final int ARCH = 0xC000003E;

    /// code and jumps as numbers, the bytes as the kernel reads them, and the text.
    @ParameterizedTest
    @CsvSource({
        "0x20, 0, 0, 0x00000000, 2000000000000000, load number",
        "0x20, 0, 0, 0x00000004, 2000000004000000, load arch",
        "0x20, 0, 0, 0x00000008, 2000000008000000, load byte 8",
        "0x20, 0, 0, 0x00000010, 2000000010000000, load low 0",
        "0x20, 0, 0, 0x0000003c, 200000003c000000, load high 5",
        "0x54, 0, 0, 0x0000000f, 540000000f000000, and 0xf",
        "0x05, 0, 0, 0x00000100, 0500000000010000, jump +256",
        "0x15, 1, 2, 0xc000003e, 150001023e0000c0, if == 0xc000003e then +1 else +2",
        "0x25, 0, 255, 0x00000005, 250000ff05000000, if > 0x5 then +0 else +255",
        "0x35, 255, 0, 0x40000000, 3500ff0000000040, if >= 0x40000000 then +255 else +0",
        "0x45, 3, 4, 0x00000241, 4500030441020000, if & 0x241 then +3 else +4",
        "0x06, 0, 0, 0x7fff0000, 060000000000ff7f, return allow",
        "0x06, 0, 0, 0x7fc00000, 060000000000c07f, return notify",
        "0x06, 0, 0, 0x80000000, 0600000000000080, return kill",
        "0x06, 0, 0, 0x00050026, 0600000026000500, return errno 38",
        "0x06, 0, 0, 0x00000007, 0600000007000000, return 0x7",
        "0x0c, 0, 0, 0x00000000, 0c00000000000000, unknown 0xc then +0 else +0",
    })
    void an_instruction_has_these_bytes_and_this_text(
            String code, int jt, int jf, String k, String bytes, String text) {
        var instruction = new Instruction(Integer.decode(code), jt, jf, Long.decode(k).intValue());

        var program = new Bpf.Program(List.of(instruction));

        assertThat(HexFormat.of().formatHex(program.bytes())).isEqualTo(bytes);
        assertThat(instruction).hasToString(text);
    }

    @Test
    void a_program_reads_as_one_line_for_each_instruction() {
        var program =
                assembled(
                        bpf -> {
                            var yes = new Label();
                            var no = new Label();
                            bpf.load(Bpf.NUMBER);
                            bpf.ifAbove(7, yes, no);
                            bpf.place(no);
                            bpf.ret(Bpf.SECCOMP_RET_ALLOW);
                            bpf.place(yes);
                            bpf.ret(Bpf.SECCOMP_RET_KILL_PROCESS);
                        });

        assertThat(program)
                .hasToString(
                        """
                        0    load number
                        1    if > 0x7 then +1 else +0
                        2    return allow
                        3    return kill""");
        assertThat(new Machine(program).run(ARCH, 7, new long[6])).isEqualTo(0x7fff0000);
        assertThat(new Machine(program).run(ARCH, 8, new long[6])).isEqualTo(0x80000000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 254, 255, 256, 257, 1000})
    void a_branch_reaches_any_distance_either_way(int distance) {
        var program =
                assembled(
                        bpf -> {
                            var start = new Label();
                            var yes = new Label();
                            var no = new Label();
                            bpf.load(Bpf.low(0));
                            bpf.jump(start);
                            bpf.place(start);
                            bpf.ifEqual(1, yes, no);
                            fill(bpf, distance);
                            bpf.place(yes);
                            bpf.ret(1);
                            fill(bpf, distance);
                            bpf.place(no);
                            bpf.ret(2);
                        });

        assertThat(new Machine(program).run(ARCH, 0, 1, 0, 0, 0, 0, 0)).isEqualTo(1);
        assertThat(new Machine(program).run(ARCH, 0, 5, 0, 0, 0, 0, 0)).isEqualTo(2);
    }

    @Test
    void a_jump_added_for_one_branch_may_push_another_out_of_reach() {
        var program =
                assembled(
                        bpf -> {
                            var second = new Label();
                            var near = new Label();
                            var far = new Label();
                            bpf.load(Bpf.low(0));
                            bpf.ifEqual(1, near, second);
                            fill(bpf, 254);
                            bpf.place(second);
                            bpf.ifEqual(2, near, far);
                            bpf.place(near);
                            bpf.ret(1);
                            fill(bpf, 300);
                            bpf.place(far);
                            bpf.ret(2);
                        });

        assertThat(program.instructions().stream().filter(i -> i.code() == Bpf.BPF_JA)).hasSize(2);
        assertThat(new Machine(program).run(ARCH, 0, 1, 0, 0, 0, 0, 0)).isEqualTo(1);
        assertThat(new Machine(program).run(ARCH, 0, 2, 0, 0, 0, 0, 0)).isEqualTo(1);
        assertThat(new Machine(program).run(ARCH, 0, 3, 0, 0, 0, 0, 0)).isEqualTo(2);
    }

    @Test
    void a_label_that_cannot_be_reached_is_refused() {
        assertThatThrownBy(() -> assembled(bpf -> bpf.jump(new Label())))
                .hasMessage("a jump needs a label that was placed");
        assertThatThrownBy(
                        () ->
                                assembled(
                                        bpf -> {
                                            var label = new Label();
                                            bpf.place(label);
                                            bpf.jump(label);
                                        }))
                .hasMessage("jumps go forward only");
        assertThatThrownBy(
                        () ->
                                assembled(
                                        bpf -> {
                                            var label = new Label();
                                            bpf.place(label);
                                            bpf.place(label);
                                        }))
                .hasMessage("a label stands at one place only");
    }

    @Test
    void a_program_is_no_longer_than_the_kernel_takes() {
        assertThat(assembled(bpf -> fill(bpf, 4096)).size()).isEqualTo(4096);
        assertThatThrownBy(() -> assembled(bpf -> fill(bpf, 4097)))
                .hasMessage("a program has 1 to 4096 instructions: `4097`");
        assertThatThrownBy(() -> assembled(_ -> {}))
                .hasMessage("a program has 1 to 4096 instructions: `0`");
    }

    @Test
    void a_jump_that_does_not_fit_is_refused() {
        assertThatThrownBy(() -> new Instruction(Bpf.BPF_JEQ_K, 256, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Instruction(Bpf.BPF_JEQ_K, 0, -1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void fill(BpfAssembler bpf, int count) {
        for (int i = 0; i < count; i++) {
            bpf.ret(3);
        }
    }

    private static Bpf.Program assembled(Consumer<BpfAssembler> text) {
        var bpf = new BpfAssembler();
        text.accept(bpf);
        return bpf.assemble();
    }
}
