// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime.approval;

import dev.writ.core.broker.Asker;
import java.util.List;

/// Somebody who waits for good, in a folder and with something to read.
record AskerAt(String folder, String input) implements Asker {
    @Override
    public List<Task> lineage() {
        return List.of();
    }

    @Override
    public boolean isWaiting() {
        return true;
    }

    @Override
    public Circumstances circumstances() {
        return new Circumstances(folder, input, List.of(), folder + input);
    }
}
