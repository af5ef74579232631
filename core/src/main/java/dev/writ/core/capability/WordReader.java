// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

import dev.writ.core.pattern.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads an action back from the segments it is spelled with: the inverse of [Action#spell].
public final class WordReader {
    private final List<String> word;
    private int at;

    private WordReader(List<String> word) {
        this.word = word;
    }

    public static Action read(List<String> word) {
        return new WordReader(word).action();
    }

    private Action action() {
        return switch (Kind.valueOf(next().toUpperCase(Locale.ROOT))) {
            case READ -> new Action.ReadFile(new FilePath(rest()));
            case WRITE -> new Action.WriteFile(new FilePath(rest()));
            case UNIX -> new Action.ConnectSocket(new FilePath(rest()));
            case EXEC -> new Action.StartProgram(new FilePath(untilEnd()), rest());
            case NET -> net();
            case LISTEN -> new Action.AcceptConnections(address(next()), Integer.parseInt(next()));
            case ENV -> new Action.SeeVariable(next());
            case SECRET ->
                    new Action.UseSecret(next(), scheme(next()), host(), Integer.parseInt(next()));
            case DEVICE ->
                    word.get(at).startsWith(Pattern.END)
                            ? new Action.UseGpu()
                            : new Action.OpenDevice(new FilePath(rest()));
            case TOOL -> new Action.CallTool(rest());
            case SHELL, LIMIT ->
                    throw new IllegalArgumentException("spelled by no pattern: " + word);
        };
    }

    private Action net() {
        var transport = scheme(next());
        var host = host();
        int port = Integer.parseInt(next());
        String how = next();
        if (how.equals("connect")) {
            return new Action.Connect(transport, host, port);
        }
        var scheme = scheme(how);
        String method = scheme.isHttp() ? next() : "GET";
        return new Action.Request(scheme, host, port, method, untilEnd(), next());
    }

    private Host host() {
        var segments = untilEnd();
        return segments.getFirst().equals(Host.SPECIAL)
                ? Host.parse(segments.getLast(), 0)
                : new Host.Name(segments.reversed());
    }

    private static Scheme scheme(String word) {
        return Scheme.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static Address address(String text) {
        return Address.parsePlainV4(text).or(() -> Address.parseV6(text)).orElseThrow();
    }

    private String next() {
        return word.get(at++);
    }

    private List<String> untilEnd() {
        var segments = new ArrayList<String>();
        for (String s = next(); !s.equals(Pattern.END); s = next()) {
            segments.add(s);
        }
        return segments;
    }

    private List<String> rest() {
        return word.subList(at, word.size());
    }
}
