// SPDX-License-Identifier: Apache-2.0
// Where things were sent, host by host.
import { bytes, clock, code, el, empty, head, value } from "./dom.js";
import { events, watch } from "./events.js";

/** The host of an action such as `net:GET=https://api.example.com/x`; empty if it is about none. */
function host(action) {
    if (!action.startsWith("net:")) return "";
    const rest = action.slice(4).replace(/^(udp:|[A-Za-z,]+=)/, "").replace(/^[a-z][a-z0-9+.-]*:\/\//, "");
    return /^(\[[^\]]*\]|[^/:?#]*)/.exec(rest)[0];
}

function collect() {
    const hosts = new Map();
    const of = (name) => {
        if (!hosts.has(name)) hosts.set(name, { name, requests: 0, refused: 0, failed: 0, up: 0, down: 0, at: "", paths: new Map() });
        return hosts.get(name);
    };
    for (const e of events.list) {
        if (e.event === "egress") {
            const h = of(value(e.host));
            h.requests++;
            h.failed += e.status === 0 ? 1 : 0;
            h.up += e.up;
            h.down += e.down;
            h.at = e.at;
            note(h, `${value(e.method) || value(e.scheme)} ${value(e.path)}`.trim(), false);
        } else if (e.event === "judged" && !e.permitted && host(value(e.action))) {
            const h = of(host(value(e.action)));
            h.refused++;
            h.at = e.at;
            note(h, value(e.action), true);
        }
    }
    return [...hosts.values()].sort((a, b) => b.refused - a.refused || b.requests - a.requests);
}

function note(h, what, refused) {
    const known = h.paths.get(what) ?? { what, refused, times: 0 };
    known.times++;
    h.paths.set(what, known);
}

const MOST_PATHS = 50;

function details(h) {
    const all = [...h.paths.values()].sort((a, b) => Number(b.refused) - Number(a.refused) || b.times - a.times);
    return el("ul", { class: "paths" }, all.slice(0, MOST_PATHS).map((p) =>
        el("li", { class: p.refused ? "deny" : "" }, code(p.what), el("span", { class: "dim" }, `${p.refused ? "refused " : ""}${p.times}×`))),
    all.length > MOST_PATHS && el("li", { class: "dim" }, `and ${all.length - MOST_PATHS} others: writ log`));
}

function number(label, n, kind = "") {
    return el("span", { class: `number ${n === 0 || n === "0 B" ? "zero" : kind}` }, el("b", {}, String(n)), el("span", { class: "unit" }, label));
}

export function egress() {
    const list = el("div", { class: "hosts" });
    const none = empty("Nothing has left", "Every connection of a sandbox goes through Writ's proxy. Who was spoken to, and who was not allowed to be, is shown here.",
        "allow:\n  - net:GET=https://api.example.com/**");
    const root = el("section", { class: "view" }, head("Egress", "Where your agents send things, of the latest events."), list, none);
    const rows = new Map();

    function update() {
        const all = collect();
        none.hidden = all.length > 0;
        for (const h of all) {
            const key = JSON.stringify([h.requests, h.refused, h.up, h.down, h.failed]);
            const known = rows.get(h.name);
            if (known?.key === key) continue;
            const item = el("details", { class: "host", open: known?.item.open }, el("summary", {}, code(h.name),
                el("span", { class: "numbers" }, number("requests", h.requests), number("refused", h.refused, "deny"), number("no answer", h.failed, "warn"),
                    number("up", bytes(h.up)), number("down", bytes(h.down)), el("time", {}, clock(h.at)))), details(h));
            if (known) known.item.replaceWith(item);
            else list.append(item);
            rows.set(h.name, { key, item });
        }
    }

    const stop = watch(update);
    update();
    return { root, close: stop };
}
