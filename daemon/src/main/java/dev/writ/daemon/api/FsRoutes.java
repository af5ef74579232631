// SPDX-License-Identifier: Apache-2.0
package dev.writ.daemon.api;

import dev.writ.core.file.FileStatus;
import dev.writ.core.file.OpenFolder;
import dev.writ.daemon.sandbox.Sandboxes;
import dev.writ.runtime.files.Found;
import dev.writ.runtime.files.Grep;
import dev.writ.runtime.files.SessionFiles;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What else can be done with the files of a sandbox.
public final class FsRoutes {
    private static final String FS = "/v1/sandboxes/{id}/fs/";
    private static final int MOST = 10_000;
    private static final int USUAL = 1000;

    private final Sandboxes sandboxes;

    public FsRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(FS + "list", this::list),
                Route.post(FS + "stat", this::stat),
                Route.post(FS + "mkdir", this::mkdir),
                Route.post(FS + "rename", this::rename),
                Route.post(FS + "glob", this::glob),
                Route.post(FS + "grep", this::grep),
                Route.post(FS + "edit", this::edit));
    }

    private <T> T ask(Call call, Function<SessionFiles, T> work) {
        return new FileWork(SandboxRoutes.find(sandboxes, call), call.response()).ask(work);
    }

    private static String need(Fields fields, String name) {
        return fields.text(name)
                .orElseThrow(() -> ApiException.invalid("`" + name + "` is missing"));
    }

    private static String path(Fields fields) {
        return fields.text("path").orElse(".");
    }

    private void list(Call call) throws IOException {
        String path = path(call.fields("path"));
        var entries = ask(call, files -> files.list(path));
        call.answer(Map.of("entries", entries.stream().map(FsRoutes::entry).toList()));
    }

    private void stat(Call call) throws IOException {
        var fields = call.fields("path", "follow");
        String path = need(fields, "path");
        boolean itself = fields.has("follow") && !fields.is("follow");
        call.answer(status(ask(call, files -> itself ? files.statLink(path) : files.stat(path))));
    }

    private void mkdir(Call call) throws IOException {
        var fields = call.fields("path", "parents");
        String path = need(fields, "path");
        boolean parents = fields.is("parents");
        ask(
                call,
                files -> {
                    files.makeFolder(path, parents);
                    return true;
                });
        call.nothing();
    }

    private void rename(Call call) throws IOException {
        var fields = call.fields("from", "to");
        String from = need(fields, "from");
        String to = need(fields, "to");
        ask(
                call,
                files -> {
                    files.move(from, to);
                    return true;
                });
        call.nothing();
    }

    private void glob(Call call) throws IOException {
        var fields = call.fields("pattern", "path", "max");
        String pattern = need(fields, "pattern");
        int most = (int) fields.number("max", USUAL, 1, MOST);
        var found = ask(call, files -> files.glob(pattern, path(fields), most));
        call.answer(found("paths", found, List.copyOf(found.hits())));
    }

    private void grep(Call call) throws IOException {
        var fields = call.fields("pattern", "path", "regex", "ignore_case", "glob", "max");
        var query =
                new Grep.Query(
                        need(fields, "pattern"),
                        fields.is("regex"),
                        fields.is("ignore_case"),
                        fields.text("glob"),
                        (int) fields.number("max", USUAL, 1, MOST));
        var found = ask(call, files -> files.grep(query, path(fields)));
        call.answer(found("lines", found, found.hits().stream().map(FsRoutes::line).toList()));
    }

    private void edit(Call call) throws IOException {
        var fields = call.fields("path", "old", "new", "all");
        String path = need(fields, "path");
        int times =
                ask(
                        call,
                        files ->
                                files.edit(
                                        path,
                                        need(fields, "old"),
                                        need(fields, "new"),
                                        fields.is("all")));
        call.answer(Map.of("replaced", (long) times));
    }

    private static Map<String, @Nullable Object> found(String name, Found<?> found, List<?> hits) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put(name, hits);
        map.put("truncated", found.cut());
        map.put("refused", found.refused());
        return map;
    }

    private static Map<String, @Nullable Object> line(Grep.Line line) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("path", line.path());
        map.put("line", line.number());
        map.put("text", line.text());
        return map;
    }

    static Map<String, @Nullable Object> status(FileStatus status) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("type", word(status.type()));
        map.put("size", status.size());
        map.put("modified_at", status.modified().toString());
        map.put("mode", String.format("%04o", status.permissions()));
        map.put("etag", status.tag());
        return map;
    }

    private static Map<String, @Nullable Object> entry(OpenFolder.Entry entry) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("name", entry.name());
        map.put("type", word(entry.type()));
        entry.status()
                .ifPresent(
                        s -> {
                            map.put("size", s.size());
                            map.put("modified_at", s.modified().toString());
                        });
        return map;
    }

    private static String word(FileStatus.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}
