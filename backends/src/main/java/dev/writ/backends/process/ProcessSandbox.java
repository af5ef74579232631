// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.sandbox.ReachedLimit;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.ExecutionException;

/// A running tree of confined processes.
record ProcessSandbox(Tracer tracer, Pipes pipes, Relay relay, Usage usage) implements Sandbox {
    @Override
    public OutputStream input() {
        return pipes.input();
    }

    @Override
    public InputStream output() {
        return pipes.output();
    }

    @Override
    public InputStream errors() {
        return pipes.errors();
    }

    @Override
    public int await() throws InterruptedException {
        try {
            int code = tracer.result().get();
            relay.await();
            return code;
        } catch (ExecutionException e) {
            throw new SandboxException("the sandbox was lost: " + e.getMessage(), e);
        }
    }

    @Override
    public List<ReachedLimit> reached() {
        return usage.reached();
    }

    @Override
    public void resize(byte[] size) {
        if (pipes.master() >= 0) {
            try (var kernel = new Kernel()) {
                new Terminal(kernel).setSize(pipes.master(), size);
            }
        }
    }

    @Override
    public void signal(int number) {
        tracer.signal(number);
    }

    @Override
    public void whenStopped(Runnable action) {
        tracer.whenStopped(action);
    }

    @Override
    public void stop() {
        tracer.stop();
    }

    @Override
    public void close() {
        stop();
        tracer.result().exceptionally(_ -> 0).join();
        pipes.close();
    }
}
