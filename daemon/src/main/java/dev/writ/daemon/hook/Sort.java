// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.hook;

import java.util.HashMap;
import java.util.Map;

/// What a tool of an agent does, as far as a policy is concerned.
enum Sort {
    /// Runs a command.
    SHELL,
    READ,
    WRITE,
    /// Changes the files that its text names.
    PATCH,
    /// Lists one folder.
    LIST,
    /// Looks at everything below a folder by itself, guarded files among it.
    SEARCH,
    FETCH,
    /// Concerns only the agent itself: its plans, its helpers (whose tools are judged one by one).
    OWN,
    /// Anything else.
    OTHER;

    private static final Map<CodingAgent, Map<String, Sort>> KNOWN =
            Map.of(
                    CodingAgent.CLAUDE,
                    table(
                            "SHELL Bash",
                            "READ Read NotebookRead",
                            "WRITE Edit MultiEdit Write NotebookEdit",
                            "LIST LS",
                            "SEARCH Glob Grep",
                            "FETCH WebFetch",
                            "OWN Agent AskUserQuestion BashOutput EnterPlanMode ExitPlanMode KillBash KillShell",
                            "OWN Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop",
                            "OWN TaskUpdate TodoRead TodoWrite ToolSearch"),
                    CodingAgent.CODEX,
                    table(
                            "SHELL Bash exec_command local_shell shell shell_command",
                            "READ view_image",
                            "PATCH apply_patch",
                            "OWN update_plan"),
                    CodingAgent.COPILOT,
                    table(
                            "SHELL bash",
                            "READ view",
                            "WRITE create edit str_replace_editor",
                            "PATCH apply_patch",
                            "SEARCH glob grep rg",
                            "FETCH web_fetch",
                            // What `write_bash` types may reach a shell that nobody confines.
                            "OWN ask_user list_bash read_bash report_intent stop_bash task update_todo"),
                    CodingAgent.GEMINI,
                    table(
                            "SHELL run_shell_command",
                            "READ read_file",
                            "WRITE write_file replace",
                            "LIST list_directory",
                            "SEARCH glob grep_search read_many_files search_file_content",
                            "FETCH web_fetch",
                            "OWN ask_user enter_plan_mode exit_plan_mode write_todos"));

    private static Map<String, Sort> table(String... lines) {
        var table = new HashMap<String, Sort>();
        for (var line : lines) {
            var words = line.split(" ");
            for (int i = 1; i < words.length; i++) {
                table.put(words[i], valueOf(words[0]));
            }
        }
        return Map.copyOf(table);
    }

    /// What `tool` of `agent` does.
    static Sort of(CodingAgent agent, String tool) {
        return KNOWN.getOrDefault(agent, Map.of()).getOrDefault(tool, OTHER);
    }
}
