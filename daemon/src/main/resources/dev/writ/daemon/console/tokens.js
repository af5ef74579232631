// SPDX-License-Identifier: Apache-2.0
// Who gave what to whom, until when.
import { post } from "./api.js";
import { chip, code, el, empty, head, moment } from "./dom.js";

function grant(g, rest, sealed) {
    const over = Date.parse(g.expires) <= Date.now();
    const terms = [g.purpose && `for ${g.purpose}`, g.session && `in session ${g.session} only`, g.audience && `taken by ${g.audience} only`, g.once && "for one use"];
    return el("li", {},
        el("div", { class: "grant" },
            el("p", {}, el("b", {}, g.who), " ", el("span", { class: over ? "expired" : "dim" }, `${over ? "expired" : "until"} ${moment(g.expires)}`)),
            el("ul", { class: "lines" }, g.rules.map((r) => el("li", {}, chip(r.effect), code(r.rule)))),
            terms.filter(Boolean).map((t) => el("p", { class: "dim" }, t))),
        rest.length ? el("ol", { class: "chain" }, grant(rest[0], rest.slice(1), sealed))
            : el("p", { class: "dim end" }, sealed ? "sealed" : g.depth === 0 ? "may not be given on" : `may be given on, ${g.depth} deep`));
}

export function tokens() {
    const input = el("textarea", { rows: "4", placeholder: "Paste a token", "aria-label": "Token", autocomplete: "off", spellcheck: "false" });
    const body = el("div", { "aria-live": "polite" },
        empty("No token yet", "A token carries rights from one agent to the next, each time less. It stays on this machine.", "writ token mint --for coder --allow 'write:./src/**'"));
    const root = el("section", { class: "view" }, head("Tokens", "Who gave what to whom, until when."),
        el("div", { class: "paste" }, input, el("button", { type: "button", class: "yes", on: { click: show } }, "Show")), body);

    async function show() {
        if (!input.value.trim()) return input.focus();
        try {
            const t = await post("/v1/tokens/show", { token: input.value.trim() });
            body.replaceChildren(
                el("article", { class: `seal ${t.state}` }, el("p", {}, chip(t.state), " ", t.says)),
                el("ol", { class: "chain first" }, el("li", {}, el("div", { class: "grant" }, el("p", {}, el("b", {}, "the issuer"))),
                    el("ol", { class: "chain" }, grant(t.grants[0], t.grants.slice(1), t.sealed)))));
        } catch (e) {
            body.replaceChildren(el("p", { class: "problem" }, e.message));
        }
    }

    return { root };
}
