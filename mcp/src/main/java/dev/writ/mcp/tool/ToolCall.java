// SPDX-License-Identifier: Apache-2.0
package dev.writ.mcp.tool;

import dev.writ.daemon.api.Fields;
import dev.writ.daemon.sandbox.KeptSandbox;
import dev.writ.mcp.transport.Ongoing;
import java.util.List;
import java.util.Map;

/// One call of a tool.
///
/// @param sandbox in which it is done
/// @param arguments as they came, from an agent
/// @param progress tells whoever wants to know how far it is
public record ToolCall(
        KeptSandbox sandbox, Map<String, Object> arguments, Ongoing ongoing, Progress progress) {
    /// Hears how long something takes.
    public interface Progress {
        void tell(double seconds, String line);
    }

    /// The arguments, of which only those of these names may be there.
    Fields fields(String... known) {
        return Fields.of(arguments, List.of(known));
    }
}
