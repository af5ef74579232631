// SPDX-License-Identifier: Apache-2.0
package dev.writ.conformance.launch;

import dev.writ.conformance.stage.Resources;
import java.util.Map;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The launchers that come with Writ, by name.
final class ReadyLaunchers {
    private ReadyLaunchers() {}

    static String line(String name) {
        Map<String, String> all = all();
        String line = all.get(name);
        if (line == null) {
            throw new LauncherException(
                    "no ready launcher is called `"
                            + name
                            + "`: "
                            + String.join(", ", all.keySet()));
        }
        return line;
    }

    static Map<String, String> all() {
        var read =
                new Load(LoadSettings.builder().build())
                        .loadFromString(Resources.text("launchers.yaml"));
        var all = new TreeMap<String, String>();
        if (read instanceof Map<?, ?> map) {
            map.forEach((name, line) -> all.put(String.valueOf(name), String.valueOf(line)));
        }
        return all;
    }
}
