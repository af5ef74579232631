// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/// Signals that somebody sends to Writ itself. The JDK supports this, but javac warns of its name
/// in a way that cannot be switched off, so it is called by reflection.
final class Signals {
    private Signals() {}

    /// Does `action` each time signal `name` comes, instead of what it does otherwise.
    static void on(String name, Runnable action) {
        InvocationHandler handler =
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "handle" -> {
                                action.run();
                                yield null;
                            }
                            case "hashCode" -> name.hashCode();
                            case "equals" -> false; // each is its own
                            default -> "handler of " + name;
                        };
        try {
            var signal = Class.forName("sun.misc.Signal");
            var type = Class.forName("sun.misc.SignalHandler");
            signal.getMethod("handle", signal, type)
                    .invoke(
                            null,
                            signal.getConstructor(String.class).newInstance(name),
                            Proxy.newProxyInstance(
                                    Signals.class.getClassLoader(),
                                    new Class<?>[] {type},
                                    handler));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the JDK has no sun.misc.Signal", e);
        }
    }
}
