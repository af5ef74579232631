// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Notifications.Received;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NotificationsIT {
    @TempDir Path temporary;
    private Path folder;

    @BeforeEach
    void given() throws Exception {
        folder = temporary.toRealPath();
    }

    /// Answers until nobody is left.
    private static void serve(Child child, Consumer<Notification> answer) {
        while (true) {
            switch (child.notifications.receive()) {
                case A_CALL -> answer.accept(child.notifications.notification());
                case NOTHING -> {}
                case NOBODY_LEFT -> {
                    return;
                }
            }
        }
    }

    @Test
    void a_call_ends_with_the_error_it_is_given() {
        try (var child = new Child(folder, "mkdir x 2>&1", Call.MKDIR, Call.MKDIRAT)) {
            serve(child, call -> child.notifications.answer(call.id(), -Errno.ENAMETOOLONG));

            assertThat(child.output()).contains("File name too long");
            assertThat(folder.resolve("x")).doesNotExist();
        }
    }

    @Test
    void a_call_ends_with_the_result_it_is_given_without_being_made() {
        try (var child = new Child(folder, "mkdir x && echo ok", Call.MKDIR, Call.MKDIRAT)) {
            serve(child, call -> child.notifications.answer(call.id(), 0));

            assertThat(child.output()).isEqualTo("ok\n");
            assertThat(folder.resolve("x")).doesNotExist();
        }
    }

    @Test
    void a_call_that_is_let_pass_is_made() {
        try (var child = new Child(folder, "mkdir x && echo ok", Call.MKDIR, Call.MKDIRAT)) {
            serve(child, call -> child.notifications.letPass(call.id()));

            assertThat(child.output()).isEqualTo("ok\n");
            assertThat(folder.resolve("x")).isDirectory();
        }
    }

    @Test
    void a_call_tells_its_number_its_task_and_its_arguments() {
        int mkdir = Call.MKDIR.number() >= 0 ? Call.MKDIR.number() : Call.MKDIRAT.number();
        int path = Call.MKDIR.number() >= 0 ? 0 : 1;
        try (var child = new Child(folder, "exec mkdir -m 700 wanted", Call.MKDIR, Call.MKDIRAT)) {
            serve(
                    child,
                    call -> {
                        assertThat(call.number()).isEqualTo(mkdir);
                        assertThat(call.task()).isEqualTo(child.pid());
                        assertThat(call.argument(path + 1)).isEqualTo(0700);
                        assertThat(
                                        new ProcessMemory(child.kernel)
                                                .text(call.task(), call.argument(path)))
                                .asString()
                                .isEqualTo("wanted");
                        child.notifications.answer(call.id(), 0);
                    });
        }
    }

    @Test
    void an_open_gets_the_file_it_is_given() throws Exception {
        Files.writeString(folder.resolve("other"), "given");
        try (var child = new Child(folder, "cat wanted", Call.OPENAT)) {
            var memory = new ProcessMemory(child.kernel);
            serve(
                    child,
                    call -> {
                        byte[] path = memory.text(call.task(), call.argument(1));
                        if (path == null || !new String(path, UTF_8).equals("wanted")) {
                            child.notifications.letPass(call.id());
                            return;
                        }
                        int file =
                                child.files.open(
                                        FileCalls.AT_FDCWD,
                                        Child.bytes(folder.resolve("other").toString()),
                                        0,
                                        0);
                        child.notifications.give(call.id(), file, true);
                        child.files.close(file);
                    });

            assertThat(child.output()).isEqualTo("given");
        }
    }

    @Test
    void who_is_killed_waits_no_more() {
        try (var child = new Child(folder, "mkdir x", Call.MKDIR, Call.MKDIRAT)) {
            assertThat(child.notifications.await()).isTrue();
            assertThat(child.notifications.receive()).isEqualTo(Received.A_CALL);
            long id = child.notifications.notification().id();
            assertThat(child.notifications.isWaiting(id)).isTrue();

            Ptrace.kill(child.kernel, child.notifications.notification().task(), 9);

            assertThat(child.notifications.await()).isFalse();
            assertThat(child.notifications.isWaiting(id)).isFalse();
            assertThat(child.notifications.receive()).isEqualTo(Received.NOBODY_LEFT);
        }
    }
}
