// SPDX-License-Identifier: Apache-2.0
// Sessions, and what was said to everything they did.
import { chip, clock, code, command, el, empty, head, moment, value } from "./dom.js";
import { events, watch } from "./events.js";

const MOST = 400;

/** How an event reads: a word with a colour, what it is about, and why. */
function read(e) {
    switch (e.event) {
        case "judged": return [e.permitted ? "allow" : "deny", code(e.action), value(e.reason)];
        case "asked": return ["ask", code(e.action), `the operator is asked, by ${value(e.rule)}`];
        case "answered": return [e.answer === "approved" ? "allow" : "deny", code(e.action), `${value(e.answer)} by ${value(e.by)}`, "answer"];
        case "started": return ["note", e.command?.length ? command([].concat(e.command)) : code(e.program), `process ${e.process}`, "start"];
        case "exited": return [e.exit === 0 ? "note" : "warn", el("span", {}, `process ${e.process} ended with ${e.exit}`), "", "exit"];
        case "opened": return ["note", code(e.folder), `opened under ${value(e.source)}`, "open"];
        case "closed": return ["note", el("span", {}, `closed: ${value(e.outcome)}`), `${e.permitted} permitted, ${e.refused} refused`, "close"];
        case "limit": return ["deny", el("span", {}, `limit ${value(e.limit)} reached`), value(e.source), "limit"];
        case "egress": return [e.status === 0 ? "warn" : "note", code(`${value(e.method)} ${value(e.scheme)}://${value(e.host)}${value(e.path)}`), `status ${e.status}`, "sent"];
        default: return ["note", el("span", {}, value(e.event)), ""];
    }
}

function row(e) {
    const [word, what, why, label] = read(e);
    const fields = el("dl", { class: "fields" });
    const item = el("details", { class: `event ${word}`, "data-seq": e.seq, on: {
        toggle: () => item.open && fields.childElementCount === 0 && fields.append(...Object.entries(e).flatMap(([name, v]) =>
            [el("dt", {}, name), el("dd", {}, Array.isArray(v) && name === "command" ? command(v) : code(v))])),
    } },
    el("summary", {}, el("time", {}, clock(e.at)), chip(word, label ?? word), el("span", { class: "what" }, what, why && el("span", { class: "why" }, why))),
    fields);
    return item;
}

const FILTERS = {
    all: () => true,
    verdicts: (e) => ["judged", "asked", "answered", "limit"].includes(e.event),
    refused: (e) => (e.event === "judged" && !e.permitted) || (e.event === "answered" && e.answer !== "approved") || e.event === "limit",
};

/** Those that are open, and those that ended not long ago. */
function all() {
    const found = new Map();
    for (const e of events.list) {
        const s = found.get(e.session) ?? { id: e.session, refused: 0, at: e.at, folder: "", open: false, labels: {}, running: 0 };
        if (e.event === "opened") s.folder = e.folder;
        if (e.event === "judged" && !e.permitted) s.refused++;
        found.set(e.session, s);
    }
    for (const s of events.sandboxes) {
        found.set(s.id, { refused: 0, ...found.get(s.id), id: s.id, at: s.created_at, folder: s.workspace, open: true, labels: s.labels, running: s.running });
    }
    return [...found.values()].sort((a, b) => Number(b.open) - Number(a.open) || (a.id < b.id ? 1 : -1));
}

export function sessions([chosen = ""]) {
    const list = el("ul", { class: "sessions" });
    const rows = el("div", { class: "timeline", role: "log", "aria-label": "Timeline" });
    const more = el("button", { type: "button", class: "new", hidden: true });
    const search = el("input", { type: "search", placeholder: "Find", "aria-label": "Find in the timeline", autocomplete: "off", spellcheck: "false" });
    const filter = el("select", { "aria-label": "What to show" },
        el("option", { value: "all" }, "Everything"), el("option", { value: "verdicts" }, "Verdicts"), el("option", { value: "refused" }, "Refused"));
    const none = empty("Nothing has happened yet", "Sandboxes that are opened through the daemon appear here, with every verdict as it is given.", "writ up");
    const grid = el("div", { class: "split" }, list,
        el("div", { class: "pane" }, el("div", { class: "tools" }, filter, search, more), rows));
    const root = el("section", { class: "view wide" }, head("Sessions", "Who runs, and what was said to everything they wanted."), grid, none);
    let last = 0;
    let drawn = "";

    function fits(e) {
        if (chosen && e.session !== chosen) return false;
        if (!FILTERS[filter.value](e)) return false;
        const wanted = search.value.trim().toLowerCase();
        return !wanted || JSON.stringify(e).toLowerCase().includes(wanted);
    }

    function redraw() {
        last = 0;
        rows.replaceChildren();
        draw(true);
    }

    function draw(force) {
        const fresh = events.list.filter((e) => e.seq > last && fits(e));
        // Whoever reads further down is not moved away from it.
        const reading = !force && (rows.scrollTop > 40 || rows.querySelector("details[open]"));
        more.hidden = !(reading && fresh.length);
        more.textContent = `${fresh.length} new`;
        if (reading) return;
        last = events.after;
        rows.prepend(...fresh.slice(-MOST).reverse().map(row));
        while (rows.childElementCount > MOST) rows.lastElementChild.remove();
        if (!rows.childElementCount && !rows.textContent) rows.append(el("p", { class: "dim" }, "Nothing of that sort yet."));
        else if (rows.childElementCount > 1) rows.querySelector("p.dim")?.remove();
    }

    function name(s) {
        const labels = Object.entries(s.labels).map(([k, v]) => el("span", { class: "label" }, `${k}=${v}`));
        return el("li", {}, el("a", { href: `#/sessions/${encodeURIComponent(s.id)}`, "aria-current": s.id === chosen ? "true" : null, class: s.open ? "open" : "ended" },
            el("span", { class: "id" }, s.id), code(s.folder), el("span", { class: "labels" }, labels),
            el("span", { class: "dim" }, s.open ? `${s.running} running, since ${moment(s.at)}` : "ended", s.refused ? el("span", { class: "refused" }, `${s.refused} refused`) : null)));
    }

    function update() {
        const found = all();
        none.hidden = found.length > 0;
        grid.hidden = found.length === 0;
        const state = JSON.stringify(found);
        if (state !== drawn) {
            drawn = state;
            list.replaceChildren(el("li", {}, el("a", { href: "#/sessions", "aria-current": chosen ? null : "true" }, el("span", { class: "id" }, "All sessions"),
                el("span", { class: "dim" }, `${found.filter((s) => s.open).length} open`))), ...found.map(name));
        }
        draw(false);
    }

    more.addEventListener("click", () => {
        for (const open of rows.querySelectorAll("details[open]")) open.open = false;
        rows.scrollTop = 0;
        draw(true);
    });
    filter.addEventListener("change", redraw);
    search.addEventListener("input", redraw);
    const stop = watch(update);
    update();
    return { root, close: stop };
}
