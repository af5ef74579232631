// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.core.audit.AuditLog;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Policy;
import dev.writ.egress.Egress;
import dev.writ.egress.Resolver;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken;
import dev.writ.runtime.WayOut;
import dev.writ.runtime.record.Installation;
import dev.writ.runtime.record.SessionRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

/// Opens the proxy alone, for programs that something else confines.
final class ProxyVerb implements Verb {
    private static final Option CA =
            new Option("ca", "FILE", "write the certificates there that programs have to trust");

    @Override
    public Manual manual() {
        return new Manual(
                "proxy",
                "open the proxy of a policy for programs that are told to use one",
                "[FLAGS]",
                List.of("writ proxy", "writ proxy --allow net:allow=https://api.github.com"),
                PolicyOptions.and(
                        CA,
                        NameOptions.RESOLVE,
                        TokenOptions.TOKEN,
                        TokenOptions.HOLDER,
                        TokenMaking.KEY));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        var given = PolicyOptions.load(arguments, world);
        var id = SessionNames.next();
        var token = TokenOptions.present(arguments, id, given, world);
        var policy = token.map(SessionToken::policy).orElse(given);
        PolicyOptions.notice(arguments, world).ifPresent(n -> world.err().println("writ: " + n));
        var asking = Asking.about(policy, arguments, world);
        var resolver = NameOptions.resolver(arguments).orElseGet(Resolver::system);
        var installation = new Installation(Path.of(world.config().state().toString()));
        try (var report = new RunReport(policy, asking.world(), false);
                var record = new SessionRecord(installation, id, VersionVerb::version);
                var proxy =
                        WayOut.open(
                                policy,
                                token,
                                asking.approver(),
                                id,
                                PolicyOptions.source(arguments, world),
                                FilePath.of(world.folder().toAbsolutePath().normalize().toString()),
                                world.variables(),
                                AuditLog.both(record, report),
                                resolver)) {
            world.err()
                    .println(
                            "writ: the proxy is open until interrupted; programs find it by these variables");
            trust(arguments, world, proxy, policy);
            new TreeMap<>(proxy.variables())
                    .forEach((name, value) -> world.out().println("export " + name + "=" + value));
            world.out().flush();
            for (var signal : List.of("INT", "TERM", "HUP")) {
                Signals.on(signal, proxy::stop);
            }
            return await(proxy) ? ExitCode.OK : ExitCode.DENIED;
        }
    }

    /// Programs cannot be made to trust the proxy here, where nobody confines them.
    private static void trust(Arguments arguments, World world, WayOut proxy, Policy policy) {
        var file = arguments.value(CA);
        var certificates = proxy.authorities();
        if (certificates.isEmpty()) {
            file.ifPresent(
                    _ -> world.err().println("writ: no rule looks into TLS: no certificate"));
        } else if (file.isEmpty()) {
            world.err()
                    .println(
                            "writ: rules look into TLS; `--ca FILE` writes the certificates that programs have to trust for that");
        } else {
            var path = world.folder().resolve(file.get()).toAbsolutePath().normalize();
            try {
                GivenFile.open(path, policy)
                        .write(certificates.get().getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write `" + path + "`", e);
            }
            for (var name : Egress.trustVariables()) {
                world.out().println("export " + name + "=" + HookSettings.quoted(path.toString()));
            }
        }
    }

    private static boolean await(WayOut proxy) {
        try {
            return proxy.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
