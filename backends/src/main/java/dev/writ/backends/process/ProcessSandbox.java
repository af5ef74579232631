// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import dev.writ.core.capability.Limit.Resource;
import dev.writ.core.sandbox.ReachedLimit;
import dev.writ.core.sandbox.Sandbox;
import dev.writ.core.sandbox.SandboxException;
import dev.writ.core.sandbox.SandboxSpec.Streams;
import dev.writ.kernel.Kernel;
import dev.writ.kernel.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.ExecutionException;

/// A running tree of confined processes.
record ProcessSandbox(Tracer tracer, Pipes pipes, Relay relay, Usage usage, boolean piped)
        implements Sandbox {
    static ProcessSandbox of(Tracer tracer, Pipes pipes, Usage usage, Streams streams) {
        boolean inherited = streams == Streams.INHERITED;
        var relay =
                inherited && usage.bounds.has(Resource.OUTPUT)
                        ? Relay.start(pipes.output(), pipes.errors())
                        : Relay.none();
        return new ProcessSandbox(tracer, pipes, relay, usage, !inherited);
    }

    @Override
    public OutputStream input() {
        return pipes.input();
    }

    @Override
    public InputStream output() {
        return piped ? pipes.output() : InputStream.nullInputStream();
    }

    @Override
    public InputStream errors() {
        return piped ? pipes.errors() : InputStream.nullInputStream();
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
