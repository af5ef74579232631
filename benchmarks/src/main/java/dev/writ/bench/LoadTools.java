// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Asks for a small file over 8 connections, by the programs that others measure with: on two
/// processors a client in Java takes so much of them that it is measured with the proxy.
final class LoadTools {
    static final List<String> NEEDED = List.of("wrk", "ab");

    private static final Pattern WRK = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern AB = Pattern.compile("Requests per second:\\s+([0-9.]+)");

    private final String host;
    private final String url;
    private final Path script;

    /// @param host name and port of the server
    LoadTools(Path folder, String host) throws IOException {
        this.host = host;
        this.url = "http://" + host + "/small";
        this.script = folder.resolve("whole-url.lua");
        Files.writeString(
                script,
                """
                function init(words) asked = wrk.format("GET", words[1]) end
                function request() return asked end
                """);
    }

    /// Requests per second over connections that stay as long as the other side lets them.
    double kept(EgressWorld.Proxy through, int seconds) throws Exception {
        return wrk(through.port(), url, through.authorization().strip(), seconds);
    }

    double keptDirectly(int seconds) throws Exception {
        return wrk(Integer.parseInt(host.substring(host.indexOf(':') + 1)), "/small", "", seconds);
    }

    private double wrk(int port, String target, String header, int seconds) throws Exception {
        var words = new ArrayList<>(List.of("wrk", "-t1", "-c8", "-d" + seconds + "s"));
        words.addAll(List.of("-s", script.toString(), "-H", "Host: " + host));
        if (!header.isEmpty()) {
            words.addAll(List.of("-H", header));
        }
        words.addAll(List.of("http://127.0.0.1:" + port + "/", "--", target));
        return result(words, WRK);
    }

    /// Requests per second, each over a connection of its own.
    double fresh(EgressWorld.Proxy through, int seconds) throws Exception {
        var words = ab(seconds);
        words.addAll(List.of("-X", "127.0.0.1:" + through.port()));
        if (!through.login().isEmpty()) {
            words.addAll(List.of("-P", through.login()));
        }
        words.add(url);
        return result(words, AB);
    }

    double freshDirectly(int seconds) throws Exception {
        var words = ab(seconds);
        words.add(url);
        return result(words, AB);
    }

    private static List<String> ab(int seconds) {
        return new ArrayList<>(List.of("ab", "-q", "-c8", "-t" + seconds, "-n", "10000000"));
    }

    /// What a program says that it measured, if all was answered well.
    private static double result(List<String> words, Pattern figure) throws Exception {
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        var found = figure.matcher(said);
        if (process.waitFor() != 0 || said.contains("Non-2xx") || !found.find()) {
            throw new IOException(words.getFirst() + " did not get what it asked for:\n" + said);
        }
        return Double.parseDouble(found.group(1));
    }
}
