// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.harness;

import dev.writ.conformance.stage.Account;
import dev.writ.egress.Resolver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;

/// What a product offers to the cases that a command line cannot try. Found by name among the
/// service providers; a part that is not there leaves its cases pending.
///
/// The scripts of the groups E, L and T call these verbs by the names in their group's text. Those
/// of M and N need none of them: they use the product as programs and people do.
public interface Harness {
    String name();

    /// The harness of that name, if one is on the module path.
    static Optional<Harness> find(String name) {
        return ServiceLoader.load(Harness.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(h -> h.name().equals(name))
                .findAny();
    }

    /// Group E: opens a proxy of its own for one run of a case.
    default Optional<Function<Surroundings, Proxy>> proxy() {
        return Optional.empty();
    }

    /// Group L: opens a log of its own for one run of a case.
    default Optional<Function<Place, Audit>> audit() {
        return Optional.empty();
    }

    /// Group T: an issuer of its own for one run of a case.
    default Optional<Function<Place, Tokens>> tokens() {
        return Optional.empty();
    }

    /// What is around a proxy.
    ///
    /// @param place the workspace of the agent
    /// @param policy the file with the rules
    /// @param netRules whether some of them lead out
    /// @param resolver where names lead; it knows who asks
    /// @param ports of the canary servers and of the runner, by their names
    /// @param secret what a proxy puts in for the agent
    record Surroundings(
            Place place,
            Path policy,
            boolean netRules,
            Resolver resolver,
            Map<String, Integer> ports,
            String secret) {
        public Surroundings {
            ports = Map.copyOf(ports);
        }
    }

    /// The egress proxy, and a place for the agent that has no other way out.
    interface Proxy extends AutoCloseable {
        /// What the agent's program is told: `PROXY` as a URL with its token, and `INSIDE` if there
        /// is a way out without being told of it.
        Map<String, String> variables();

        /// Runs a command of the agent, and gives what it printed; nothing if its time was over.
        Optional<String> run(List<String> command, Duration limit) throws InterruptedException;

        /// Lets the proxy that programs are told of die.
        void end();

        @Override
        void close();
    }

    /// Where a harness may work.
    ///
    /// @param folder an empty one
    /// @param account whom commands without a sandbox run as
    record Place(Path folder, Account account) {}

    /// The audit log, and a sandbox whose verdicts are recorded in it.
    interface Audit extends AutoCloseable {
        /// Records that a process was started with these words.
        void write(List<String> words);

        /// What was recorded, a line for each event, as it lies on the disk.
        byte[] raw();

        /// The same in the order that the log itself can show.
        byte[] ordered();

        /// Puts other lines in the place of those that were recorded.
        ///
        /// @param all whether everything is made to fit them that needs no key
        void put(byte[] lines, boolean all);

        /// Which event is not what was recorded; empty if the verifier finds nothing.
        Optional<Long> wrong();

        /// What the log is kept in.
        Path path();

        /// What it will be kept in after [#rotate].
        Path next();

        void rotate();

        /// Runs a command of the agent in the sandbox, and gives what it printed.
        String run(String command);

        /// The folder in which it runs, and which it may write.
        Path workspace();

        /// The programs that were started, by the record.
        List<String> programs();

        /// Lets the disk of the log be full. Nothing may have been recorded yet.
        void fill();

        /// Lets the clock of the host jump.
        void jump(Duration time);

        @Override
        void close();
    }

    /// Capability tokens, as text. What cannot be made is empty.
    interface Tokens {
        /// A new token.
        ///
        /// @param life as the script has it, which may be nonsense
        /// @param bound what it is bound to: `session`, `audience`, `once`
        String mint(List<String> capabilities, String life, Map<String, String> bound);

        /// The token given on by its holder, whatever is in it.
        String attenuate(String token, List<String> capabilities, String life);

        /// The token given on to a sub-agent that asks for these.
        String delegate(String token, List<String> capabilities);

        /// Whether the request is let through.
        ///
        /// @param after seconds since the tokens were made
        boolean verify(String token, String request, long after, Map<String, String> bound);

        void revoke(String token);

        /// What an attacker makes of a token without any key: other capabilities, no signature,
        /// another algorithm.
        List<String> stripped(String token, List<String> capabilities);

        /// The token without its last block, in all ways that need no key.
        List<String> shortened(String token);

        /// Runs a command of an agent that works with `token`, and gives what it printed.
        String run(String command, String token);
    }
}
