// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.FileCalls.AT_FDCWD;

import dev.writ.kernel.Errno;
import dev.writ.kernel.FileAttributes;
import dev.writ.kernel.Notifications.Notification;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// The extended attributes of files. Landlock leaves them open. To change one is to write. What is
/// in those that anybody can make (`user.*`), such as where a file was downloaded from, is content:
/// to look at it is to read. The others say about a file what its mode and owner do.
///
/// By descriptor they are not looked at here: what is open was judged when it was opened.
final class ExtendedAttributes {
    private static final byte[] CONTENT = Walker.bytes("user.");

    private final Worker worker;
    private final Judge judge;
    private final Attributes attributes;
    private final Usage usage;

    ExtendedAttributes(Worker worker, Judge judge, Attributes attributes, Usage usage) {
        this.worker = worker;
        this.judge = judge;
        this.attributes = attributes;
        this.usage = usage;
    }

    void getxattr(Notification call) {
        get(call, attributes.named(call, AT_FDCWD, 0, true));
    }

    void lgetxattr(Notification call) {
        get(call, attributes.named(call, AT_FDCWD, 0, false));
    }

    private void get(Notification call, Walker.Found found) {
        byte[] name = worker.text(call.task(), call.argument(1));
        if (Places.startsWith(name, CONTENT) && !judge.permits(worker, found, true, false)) {
            throw new Failed(Errno.EACCES);
        }
        worker.requireWaiting(call);
        int room = room(call.argument(3));
        give(call, call.argument(2), worker.attributes.get(found.handle(), name, room));
    }

    void listxattr(Notification call) {
        list(call, attributes.named(call, AT_FDCWD, 0, true));
    }

    void llistxattr(Notification call) {
        list(call, attributes.named(call, AT_FDCWD, 0, false));
    }

    /// Who may not read a file does not learn what is in it, which is nothing to write down: `ls`
    /// asks this of everything that it shows.
    private void list(Notification call, Walker.Found found) {
        int room = room(call.argument(2));
        if (judge.wouldPermit(worker, found, true, false, false)) {
            give(call, call.argument(1), worker.attributes.list(found.handle(), room));
            return;
        }
        var all = worker.attributes.list(found.handle(), FileAttributes.MOST);
        byte[] names = withoutContent(all.bytes());
        int result =
                all.result() < 0
                        ? all.result()
                        : room > 0 && names.length > room ? -Errno.ERANGE : names.length;
        give(
                call,
                call.argument(1),
                new FileAttributes.Given(result, room == 0 || result < 0 ? new byte[0] : names));
    }

    private static byte[] withoutContent(byte[] names) {
        var rest = new ByteArrayOutputStream();
        int start = 0;
        for (int i = 0; i < names.length; i++) {
            if (names[i] == 0) {
                byte[] name = Arrays.copyOfRange(names, start, i + 1);
                if (!Places.startsWith(name, CONTENT)) {
                    rest.writeBytes(name);
                }
                start = i + 1;
            }
        }
        return rest.toByteArray();
    }

    /// As the kernel takes it: no value is longer.
    private static int room(long size) {
        return size < 0 || size > FileAttributes.MOST ? FileAttributes.MOST : (int) size;
    }

    private void give(Notification call, long address, FileAttributes.Given given) {
        if (!worker.memory.put(call.task(), address, given.bytes())) {
            throw new Failed(Errno.EFAULT);
        }
        worker.answer(call, given.result());
    }

    void setxattr(Notification call) {
        setxattr(call, attributes.named(call, AT_FDCWD, 0, true));
    }

    void lsetxattr(Notification call) {
        setxattr(call, attributes.named(call, AT_FDCWD, 0, false));
    }

    void fsetxattr(Notification call) {
        setxattr(call, attributes.held(call));
    }

    private void setxattr(Notification call, Walker.Found found) {
        byte[] name = worker.text(call.task(), call.argument(1));
        long length = call.argument(3);
        byte[] value =
                length < 0 || length > FileAttributes.MOST
                        ? null
                        : worker.memory.bytes(call.task(), call.argument(2), (int) length);
        if (value == null) {
            throw new Failed(Errno.EFAULT);
        }
        attributes.requireWrite(call, found);
        int result = worker.attributes.set(found.handle(), name, value, (int) call.argument(4));
        if (result >= 0) {
            usage.takeRoom(name.length + value.length); // it is we who write, not the program
        }
        worker.answer(call, result);
    }

    void removexattr(Notification call) {
        removexattr(call, attributes.named(call, AT_FDCWD, 0, true));
    }

    void lremovexattr(Notification call) {
        removexattr(call, attributes.named(call, AT_FDCWD, 0, false));
    }

    void fremovexattr(Notification call) {
        removexattr(call, attributes.held(call));
    }

    private void removexattr(Notification call, Walker.Found found) {
        byte[] name = worker.text(call.task(), call.argument(1));
        attributes.requireWrite(call, found);
        worker.answer(call, worker.attributes.remove(found.handle(), name));
    }
}
