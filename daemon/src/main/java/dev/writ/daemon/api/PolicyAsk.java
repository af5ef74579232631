// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.capability.FilePath;
import dev.writ.core.capability.Text;
import dev.writ.core.policy.Isolation;
import dev.writ.core.policy.Policy;
import dev.writ.core.policy.Source;
import dev.writ.runtime.Config;
import dev.writ.runtime.policy.PolicyLoader;
import dev.writ.trust.Json;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// Which policy a request asks for: its own, a profile's, a file's, or the default.
///
/// @param source where it came from, for the record
/// @param about what is approved for good is kept for: its file, without one the workspace
record PolicyAsk(Policy policy, FilePath workspace, String source, Path about) {
    static PolicyAsk of(Fields fields, Config config) {
        var workspace =
                fields.path("workspace", Optional.empty())
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "`workspace` is missing: the folder that `.` in the"
                                                        + " policy means, absolute"));
        if (!Path.of(workspace.toString()).toFile().isDirectory()) {
            throw ApiException.invalid(
                    "no such folder: `" + Text.shown(workspace.toString()) + "`");
        }
        var loader = new PolicyLoader(config.scope(workspace), config.ownFolders());
        String source = load(fields, loader);
        var policy = loader.load();
        if (policy.isolation() instanceof Isolation.Against(var threats)) {
            throw new ApiException(
                    422,
                    "backend.unavailable",
                    "no backend is here that holds against " + String.join(", ", threats));
        }
        if (policy.isolation() instanceof Isolation.Backend(var name) && !name.equals("process")) {
            throw new ApiException(
                    422, "backend.unavailable", "no backend here is called `" + name + "`");
        }
        var about = fields.path("policy_file", Optional.empty()).orElse(workspace);
        return new PolicyAsk(policy, workspace, source, Path.of(about.toString()));
    }

    private static String load(Fields fields, PolicyLoader loader) {
        int given = 0;
        String source = "the default";
        if (fields.get("policy") instanceof Map<?, ?> policy) {
            // JSON is YAML, so there is one reader of policies.
            loader.text(Json.write(policy), "policy");
            source = "the request";
            given++;
        } else if (fields.has("policy")) {
            throw ApiException.invalid("`policy` must be an object, as in writ.yaml");
        }
        var profile = fields.text("profile");
        if (profile.isPresent()) {
            loader.profile(profile.get(), Source.of("profile"));
            source = "profile " + profile.get();
            given++;
        }
        var file = fields.path("policy_file", Optional.empty());
        if (file.isPresent()) {
            loader.file(Path.of(file.get().toString()), file.get().toString());
            source = file.get().toString();
            given++;
        }
        if (given > 1) {
            throw ApiException.invalid("`policy`, `profile` and `policy_file` exclude each other");
        }
        if (given == 0) {
            loader.byDefault();
        }
        return source;
    }
}
