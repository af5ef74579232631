// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.file.OpenFolder;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A folder that is held open. Belongs to one thread at a time.
final class HostFolder implements OpenFolder {
    private int descriptor;
    private final Judge judge;
    private final Errand errand;
    private final String shown;

    HostFolder(int descriptor, Judge judge, Errand errand, String shown) {
        this.descriptor = descriptor;
        this.judge = judge;
        this.errand = errand;
        this.shown = shown;
    }

    int descriptor() {
        if (descriptor < 0) {
            throw new IllegalStateException("the folder is closed");
        }
        return descriptor;
    }

    @Override
    public List<Entry> next() {
        return errand.run(
                shown,
                worker -> {
                    var here = judge.path(worker.files.place(descriptor()));
                    var entries = new ArrayList<Entry>();
                    for (var name : worker.files.names(descriptor())) {
                        entry(worker, here, name).ifPresent(entries::add);
                    }
                    return entries;
                });
    }

    /// Who may read a folder learns the names in it; more about one only who may read that.
    private Optional<Entry> entry(Worker worker, FilePath here, byte[] name) {
        int handle =
                worker.files.open(descriptor(), name, FileCalls.O_PATH | FileCalls.O_NOFOLLOW, 0);
        try {
            if (handle < 0 || worker.files.look(handle) < 0) {
                return Optional.empty(); // it has just gone
            }
            String text = Places.text(name, 0, name.length);
            var status = Statuses.of(worker.files);
            boolean readable = judge.isPossible(new Action.ReadFile(here.resolve(text)));
            return Optional.of(
                    new Entry(
                            text,
                            status.type(),
                            readable ? Optional.of(status) : Optional.empty()));
        } finally {
            worker.files.close(handle);
        }
    }

    @Override
    public void close() {
        if (descriptor >= 0) {
            try (var kernel = new Kernel()) {
                new FileCalls(kernel).close(descriptor);
            }
            descriptor = -1;
        }
    }
}
