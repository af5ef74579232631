// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.stage;

import dev.writ.conformance.corpus.Case;
import dev.writ.conformance.corpus.Group;
import dev.writ.conformance.corpus.Kind;
import dev.writ.conformance.corpus.Language;
import dev.writ.conformance.corpus.Need;
import dev.writ.conformance.oracle.CanarySecret;
import dev.writ.conformance.oracle.Ear;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/// One case, set up: its folders, its canaries, its probe. Used for one run, then closed.
public final class Stage implements AutoCloseable {
    private static final List<String> ORIGINS = List.of("HTTP", "TLS", "EVIL", "DNS");

    private final Workshop workshop;
    private final Case test;
    private final Layout layout;
    private final Secrets secrets = Secrets.fresh();
    private final Fixtures fixtures;
    private final Listeners listeners = new Listeners(secrets.nonce());
    private final Map<String, String> variables = new TreeMap<>();
    private final List<Companion> companions = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final String mark;
    private final Path pipe;
    private Optional<Process> canary = Optional.empty();
    private boolean netRules;

    private Stage(Workshop workshop, Case test) {
        this.workshop = workshop;
        this.test = test;
        this.mark = workshop.mark() + "-" + secrets.nonce();
        this.layout = new Layout(workshop.folder().resolve(secrets.nonce().substring(0, 8)));
        this.pipe = workshop.folder().resolve(secrets.nonce() + ".pipe");
        this.fixtures = new Fixtures(layout, workshop.account(), secrets);
    }

    /// Sets up `test` under the policy of its group.
    ///
    /// @throws StageException if the host side does not start
    /// @throws MissingToolException if this machine lacks something that the case needs
    public static Stage set(Workshop workshop, Case test, Group.Rules rules)
            throws IOException, InterruptedException {
        var stage = new Stage(workshop, test);
        try {
            workshop.enter(stage);
            stage.build(rules);
            return stage;
        } catch (IOException | InterruptedException | RuntimeException e) {
            stage.close();
            throw e;
        }
    }

    private void build(Group.Rules rules) throws IOException, InterruptedException {
        fixtures.write();
        String script = test.script();
        Path probe = layout.workspace().resolve(test.language().fileName());
        if (test.language() == Language.C) {
            fixtures.program(probe, workshop.compiler().compile(script));
        } else {
            fixtures.file(probe, script);
        }
        variables();
        if (test.kind() == Kind.CMD) {
            var commands = new CommandFixtures(workshop, layout, fixtures);
            commands.write();
            if (script.contains("cc-denied-elf")) {
                commands.writeCompiled();
            }
            variables.put("PATH", layout.readOnly().resolve("bin") + ":" + workshop.tools().path());
        }
        if (test.kind() == Kind.ADAPTER) {
            fixtures.file(layout.workspace().resolve("ada.py"), Resources.text("preludes/ada.py"));
            fixtures.file(layout.workspace().resolve("srv.py"), Resources.text("preludes/srv.py"));
            variables.put("VERBS", layout.verbs().toString());
            variables.put("HARNESS", layout.harness().toString());
        }
        if (test.kind() == Kind.PROXY) {
            fixtures.file(layout.workspace().resolve("ccp.py"), Resources.text("preludes/ccp.py"));
        }
        listeners();
        companions();
        var own = test.needs(Need.NO_NET_RULES) ? rules.withoutNet() : rules;
        netRules = own.leadOut();
        fixtures.file(layout.policy(), withPorts(PolicyFile.text(own, layout)));
    }

    /// `text` with the ports of the canary servers filled in.
    private String withPorts(String text) {
        String filled = text;
        for (var port : ports().entrySet()) {
            filled = filled.replace("{" + port.getKey() + "}", "" + port.getValue());
        }
        return filled;
    }

    /// The ports of the canary servers behind a proxy, by the names of their variables.
    public Map<String, Integer> ports() {
        var ports = new TreeMap<String, Integer>();
        for (var name : ORIGINS) {
            var port = variables.get(name);
            if (port != null) {
                ports.put(name, Integer.valueOf(port));
            }
        }
        return ports;
    }

    /// Whether the policy lets something out.
    public boolean hasNetRules() {
        return netRules;
    }

    /// Has the probe know these, too.
    public void tell(Map<String, String> more) {
        variables.putAll(more);
    }

    public void hear(Ear ear) {
        listeners.hear(ear);
    }

    private void variables() throws IOException {
        variables.put("WS", layout.workspace().toString());
        variables.put("RO", layout.readOnly().toString());
        variables.put("OUT", layout.forbidden().toString());
        variables.put("CH", layout.home().toString());
        variables.put("HOME", layout.workspace().toString());
        variables.put("NONCE", secrets.nonce());
        variables.put("PATH", workshop.tools().path());
        variables.put("LANG", "C.UTF-8");
        variables.put("PYTHONDONTWRITEBYTECODE", "1");
        variables.put("HOSTPIDNS", Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString());
        variables.put("CARDS", cards());
        variables.put(Marks.VARIABLE, probeMark());
    }

    /// The network cards of this machine.
    private static String cards() throws IOException {
        return NetworkInterface.networkInterfaces()
                .map(NetworkInterface::getName)
                .filter(name -> !name.equals("lo"))
                .collect(Collectors.joining(" "));
    }

    private void listeners() throws IOException {
        if (test.needs(Need.LISTENERS)) {
            variables.put("TCP", "" + listeners.tcp(Ear.TCP, "127.0.0.1"));
            variables.put("UDP", "" + listeners.udp(Ear.UDP));
            try {
                variables.put("TCP6", "" + listeners.tcp(Ear.TCP6, "::1"));
            } catch (IOException e) {
                variables.put("TCP6", "9"); // a host without IPv6: the positive control says so
            }
        }
        if (test.needs(Need.INBOUND)) {
            variables.put("INPORT", "" + listeners.inbound());
        }
    }

    private void companions() {
        String forbidden = layout.forbidden().toString();
        if (test.kind() == Kind.PROXY) {
            companion("origin.py", secrets.nonce());
        }
        if (test.needs(Need.PROCESS)) {
            String second = secrets.value(CanarySecret.SECOND);
            canary = Optional.of(companion("canary.py", forbidden, second).process());
        }
        for (var need : List.of(Need.SOCKETS, Need.SHARED_NAMES)) {
            if (test.needs(need)) {
                String part = need == Need.SOCKETS ? "sockets" : "names";
                companion(
                        "services.py",
                        part,
                        forbidden,
                        layout.readOnly().toString(),
                        secrets.nonce());
            }
        }
    }

    private Companion companion(String program, String... arguments) {
        var environment = new TreeMap<>(Map.of("PATH", workshop.tools().path()));
        environment.put("CANARY_SECRET", secrets.value(CanarySecret.SECRET));
        environment.put(Marks.VARIABLE, mark + "-host");
        var companion = Companion.start(python(program, arguments), environment, listeners::hear);
        companions.add(companion);
        variables.putAll(companion.variables());
        return companion;
    }

    /// The command for one of our own programs, run as the account.
    List<String> python(String program, String... arguments) {
        Path python =
                workshop.tools()
                        .find("python3")
                        .orElseThrow(() -> new MissingToolException("the host side needs python3"));
        var words =
                new ArrayList<>(List.of(python.toString(), workshop.helper(program).toString()));
        words.addAll(List.of(arguments));
        return workshop.account().command(words);
    }

    public Case test() {
        return test;
    }

    public Layout layout() {
        return layout;
    }

    public Secrets secrets() {
        return secrets;
    }

    /// The canary process, if the case needs one.
    public Optional<Process> canary() {
        return canary;
    }

    public boolean heard(Ear ear) {
        return listeners.heard(ear);
    }

    /// `text` with folders and nonce filled in.
    public String fill(String text) {
        return layout.fill(text).replace("{nonce}", secrets.nonce());
    }

    /// What a probe that is still there can be found by.
    String probeMark() {
        return mark + "-probe";
    }

    /// Ends every process that the probe left.
    public void endProbe() {
        Marks.end(probeMark());
    }

    /// Makes a run of this stage, the `step`th.
    public StagedProbe probe(int step) throws IOException {
        variables.put("STEP", "" + step);
        var probe = new StagedProbe(this, workshop, variables);
        fixtures.file(probe.file(), probe.text());
        return probe;
    }

    /// A new named pipe for the output of a run.
    public Path outputPipe() throws IOException, InterruptedException {
        Files.deleteIfExists(pipe);
        if (new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor() != 0) {
            throw new StageException("cannot make a named pipe");
        }
        workshop.account().own(pipe);
        return pipe;
    }

    /// Puts the late file where a denied pattern expects it.
    public void appearLate() throws IOException {
        Path file = layout.workspace().resolve("late/db.env");
        fixtures.file(file, secrets.value(CanarySecret.SECOND) + "\n");
    }

    /// Listens for the far end of the leaked socket.
    int leakedPort() throws IOException {
        return listeners.tcp(Ear.LEAKED, "127.0.0.1");
    }

    /// Takes over `archive` as a careless host would.
    public boolean unpack(Path archive) throws IOException, InterruptedException {
        if (!Files.isRegularFile(archive)) {
            return false;
        }
        String folder = layout.workspace().resolve("import/here").toString();
        var command = python("unpack.py", archive.toString(), folder, layout.base().toString());
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        endProbe();
        companions.forEach(Companion::close);
        listeners.close();
        Marks.end(mark);
        Workshop.removeDropped(secrets.nonce());
        Workshop.remove(pipe);
        Workshop.remove(layout.base());
        workshop.leave(this);
    }
}
