// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon;

import dev.writ.backends.process.ProcessBackend;
import dev.writ.daemon.api.Api;
import dev.writ.daemon.api.ApprovalRoutes;
import dev.writ.daemon.api.ArchiveRoutes;
import dev.writ.daemon.api.ConsoleRoutes;
import dev.writ.daemon.api.DaemonRoutes;
import dev.writ.daemon.api.FileRoutes;
import dev.writ.daemon.api.FsRoutes;
import dev.writ.daemon.api.HookRoutes;
import dev.writ.daemon.api.Operator;
import dev.writ.daemon.api.ProcessRoutes;
import dev.writ.daemon.api.RecordRoutes;
import dev.writ.daemon.api.Route;
import dev.writ.daemon.api.SandboxRoutes;
import dev.writ.daemon.api.TokenAsk;
import dev.writ.daemon.api.TokenRoutes;
import dev.writ.daemon.console.Console;
import dev.writ.daemon.hook.Hook;
import dev.writ.daemon.hook.HookSessions;
import dev.writ.daemon.http.HttpServer;
import dev.writ.daemon.http.TcpDoor;
import dev.writ.daemon.sandbox.Challenges;
import dev.writ.daemon.sandbox.Sandboxes;
import dev.writ.runtime.Config;
import dev.writ.runtime.Tokens;
import dev.writ.runtime.approval.Inbox;
import dev.writ.runtime.record.Installation;
import dev.writ.trust.file.WholeFile;
import dev.writ.trust.key.SigningKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The running daemon: all the `new`, top to bottom.
public final class Daemon implements AutoCloseable {
    /// The file in Writ's state folder with what it takes to answer questions.
    public static final String APPROVER = "approver";

    private final SocketFolder folder;
    private final Inbox inbox;
    private final Sandboxes sandboxes;
    private final HookSessions hooks;
    private final HttpServer server;
    private final Console console;
    private final Set<String> operations;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<String> notices = new ArrayList<>();

    /// What a daemon is started with.
    ///
    /// @param variables what programs may get to see, as far as their policy grants it
    /// @param launcher the file that starts Writ, for commands that agents are to run confined
    /// @param port of this machine to listen on as well, 0 for any; empty for none
    public record Settings(
            Config config,
            Map<String, String> variables,
            Supplier<String> version,
            String launcher,
            OptionalInt port) {}

    private Daemon(Settings settings) throws IOException {
        var config = settings.config();
        var state = Path.of(config.state().toString());
        folder = SocketFolder.take(Path.of(config.socket().toString()));
        try {
            WholeFile.privateFolder(state);
            var installation = new Installation(state);
            finishOthers(installation, settings.version());
            inbox = new Inbox(Inbox.Bounds.DEFAULT, InstantSource.system());
            sandboxes =
                    new Sandboxes(
                            settings.variables(),
                            inbox,
                            config.state(),
                            installation,
                            settings.version(),
                            InstantSource.system());
            hooks = new HookSessions(config, installation, settings.version());
            var info = info(settings);
            var operator = new Operator(WholeFile.newSecret(state.resolve(APPROVER)));
            var counted = new Api[1];
            var routes =
                    routes(settings, installation, operator, info, () -> counted[0].requests());
            console =
                    new Console(
                            new Api(routes).limitedTo(Console.OPERATIONS),
                            Map.of(Operator.SECRET, operator.secret()),
                            System::nanoTime);
            routes.addAll(new ConsoleRoutes(console::link, operator).routes());
            var api = new Api(routes);
            counted[0] = api;
            operations = api.operations();
            server = new HttpServer(api);
            ProcessBackend.prepare(SigningKey::prepare);
            if (settings.port().isPresent()) {
                tcp(settings.port().getAsInt(), state, info);
            }
            server.open(folder.listen(), new UnixDoor(folder.operator()));
        } catch (IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /// Says what happened to those that were running when Writ was killed.
    private void finishOthers(Installation installation, Supplier<String> version) {
        int before = installation.unfinishedCount();
        notices.addAll(installation.finishOthers(version));
        int ended = before - installation.unfinishedCount();
        if (ended > 0) {
            notices.add(
                    ended
                            + (ended == 1 ? " session was" : " sessions were")
                            + " running when Writ was killed: nothing of them runs any more, and"
                            + " their records are signed as incomplete");
        }
    }

    /// Starts it. When this returns it answers.
    ///
    /// @throws dev.writ.trust.file.HeldException if one runs already
    public static Daemon start(Settings settings) throws IOException {
        return new Daemon(settings);
    }

    private List<Route> routes(
            Settings settings,
            Installation installation,
            Operator operator,
            Map<String, @Nullable Object> info,
            LongSupplier requests) {
        var config = settings.config();
        var tokens = new Tokens(installation, InstantSource.system());
        var challenges = new Challenges(InstantSource.system());
        var routes = new ArrayList<Route>();
        routes.addAll(new DaemonRoutes(sandboxes, info, requests, this::end).routes());
        routes.addAll(
                new SandboxRoutes(sandboxes, new TokenAsk(tokens, challenges), config).routes());
        routes.addAll(new ProcessRoutes(sandboxes).routes());
        routes.addAll(new FileRoutes(sandboxes).routes());
        routes.addAll(new FsRoutes(sandboxes).routes());
        routes.addAll(new ArchiveRoutes(sandboxes).routes());
        routes.addAll(new HookRoutes(new Hook(hooks, settings.launcher())).routes());
        routes.addAll(new RecordRoutes(installation).routes());
        routes.addAll(new TokenRoutes(tokens, challenges, config, operator).routes());
        routes.addAll(new ApprovalRoutes(inbox, operator).routes());
        return routes;
    }

    private static Map<String, @Nullable Object> info(Settings settings) {
        var info = new LinkedHashMap<String, @Nullable Object>();
        info.put("version", settings.version().get());
        info.put("pid", ProcessHandle.current().pid());
        info.put("since", InstantSource.system().instant().toString());
        info.put("socket", settings.config().socket().toString());
        info.put("state", settings.config().state().toString());
        return info;
    }

    /// Listens on a port of this machine, and leaves the token where only the operator can read it.
    private void tcp(int port, Path state, Map<String, @Nullable Object> info) throws IOException {
        var file = state.resolve("token");
        String token = WholeFile.newSecret(file);
        var listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 64);
        int bound = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        info.put("tcp", "http://127.0.0.1:" + bound);
        info.put("token_file", file.toString());
        server.open(
                listener, new TcpDoor(token, "the daemon says where its file is", bound, false));
    }

    /// Everything that can be asked of it, such as `GET /v1/info`.
    Set<String> operations() {
        return operations;
    }

    /// What the operator has to know, a line each.
    public List<String> notices() {
        return List.copyOf(notices);
    }

    /// Lets [#await] return.
    public void end() {
        over.countDown();
    }

    /// Waits until somebody wants it to end.
    public void await() throws InterruptedException {
        over.await();
    }

    /// Ends all sandboxes, writes that down, and is gone.
    @Override
    public void close() throws IOException {
        // ORDER: the folder is held until nothing runs any more, so that the next daemon starts
        // after this one.
        try (folder) {
            sandboxes.close();
            console.close();
            server.close();
            hooks.close();
        }
    }
}
