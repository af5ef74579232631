// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress.secret;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Fields and a target that are kept apart.
record TargetedHead(Fields fields, Supplier<String> read, Consumer<String> write) implements Head {
    @Override
    public String target() {
        return read.get();
    }

    @Override
    public void target(String target) {
        write.accept(target);
    }

    @Override
    public Set<String> names() {
        return fields.names();
    }

    @Override
    public List<String> all(String name) {
        return fields.all(name);
    }

    @Override
    public void set(String name, List<String> values) {
        fields.set(name, values);
    }
}
