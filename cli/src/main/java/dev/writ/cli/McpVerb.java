// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.core.audit.SessionId;
import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.file.Reason;
import dev.writ.core.policy.Policy;
import dev.writ.kernel.Kernel;
import dev.writ.mcp.PortServer;
import dev.writ.mcp.Settings;
import dev.writ.mcp.StdioServer;
import dev.writ.runtime.SessionNames;
import dev.writ.runtime.SessionToken;
import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;

/// Serves tools that run under a policy to whoever speaks MCP.
final class McpVerb implements Verb {
    private static final List<String> ENDS = List.of("INT", "TERM", "HUP");
    private static final Option PORT =
            new Option("port", "PORT", "serve HTTP on this port of 127.0.0.1, with a token");
    private static final Option WORKSPACE =
            new Option("workspace", "DIR", "work in this folder, under its policy");

    @Override
    public Manual manual() {
        return new Manual(
                "mcp",
                "serve tools to an agent by MCP, confined as by `run`",
                "[FLAGS]",
                List.of(
                        "claude mcp add writ -- writ mcp",
                        "writ mcp --workspace ~/project --ask 'exec:git push'",
                        "writ mcp --port 7777"),
                PolicyOptions.and(
                        PORT,
                        WORKSPACE,
                        NameOptions.RESOLVE,
                        TokenOptions.TOKEN,
                        TokenOptions.HOLDER,
                        TokenMaking.KEY,
                        BackendOptions.BACKEND,
                        BackendOptions.ACCEPT_WEAKER));
    }

    @Override
    public int run(Arguments arguments, World world) {
        arguments.refuseCommand();
        // Nothing but the protocol goes to standard output; on SIGQUIT Java would write there.
        System.setOut(world.err());
        try (var kernel = new Kernel()) {
            kernel.endOnQuit();
        }
        var port = port(arguments);
        var settings = settings(arguments, world.at(RunVerb.folder(WORKSPACE, arguments, world)));
        try {
            var notices =
                    port.isPresent()
                            ? serve(PortServer.open(settings, port.getAsInt()), world)
                            : serve(new StdioServer(settings, world.in(), world.out()));
            notices.forEach(n -> say(n, world));
        } catch (IOException e) {
            throw new UncheckedIOException("the server could not be started: " + Reason.of(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    private static OptionalInt port(Arguments arguments) {
        var port = arguments.value(PORT);
        return port.isEmpty() ? OptionalInt.empty() : UpVerb.port(PORT, port.get());
    }

    private static Settings settings(Arguments arguments, World world) {
        ProcessBackend.prepare(SigningKey::prepare);
        var policy = PolicyOptions.load(arguments, world);
        // ORDER: a token that is good for nothing is refused before anybody is served.
        var token = TokenOptions.present(arguments, SessionNames.next(), policy, world);
        PolicyOptions.notice(arguments, world).ifPresent(n -> say(n, world));
        return new Settings(
                approver -> BackendOptions.writ(arguments, policy, approver, world),
                policy,
                FilePath.of(world.folder().toString()),
                PolicyOptions.source(arguments, world),
                PolicyOptions.file(arguments, world).orElse(world.folder()),
                world.config().state(),
                token.map(_ -> session -> present(arguments, session, policy, world)),
                VersionVerb::version);
    }

    private static SessionToken present(
            Arguments arguments, SessionId session, Policy policy, World world) {
        return TokenOptions.present(arguments, session, policy, world).orElseThrow();
    }

    private static List<String> serve(StdioServer server) throws InterruptedException {
        ENDS.forEach(signal -> Signals.on(signal, server::end));
        return server.serve();
    }

    private static List<String> serve(PortServer server, World world) throws InterruptedException {
        var over = new CountDownLatch(1);
        ENDS.forEach(signal -> Signals.on(signal, over::countDown));
        say("listening on " + server.url() + "; its token is in " + server.tokenFile(), world);
        over.await();
        return server.end();
    }

    private static void say(String line, World world) {
        world.err().println("writ: " + Text.shown(line));
        world.err().flush();
    }
}
