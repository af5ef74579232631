// SPDX-License-Identifier: Apache-2.0
// What a session may do, and who says so.
import { get, post } from "./api.js";
import { chip, code, el, empty, head, say } from "./dom.js";
import { events, watch } from "./events.js";

const EFFECTS = [["deny", "Denied"], ["ask", "Asked"], ["allow", "Allowed"], ["guard", "Guarded, unless a rule names the exact path"]];

function answer(d) {
    return el("article", { class: `answer ${d.decision}` },
        el("p", {}, chip(d.decision), " ", code(d.action)),
        el("p", {}, d.reason), d.rule && el("p", { class: "dim" }, "Rule ", code(d.rule), " ", d.source), d.remedy && el("p", { class: "dim" }, "To change that: ", d.remedy));
}

export function policy() {
    const pick = el("select", { "aria-label": "Session" });
    const action = el("input", { type: "text", placeholder: "read:~/.ssh/id_rsa", "aria-label": "Action", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const result = el("div", { "aria-live": "polite" });
    const rules = el("div", { class: "rules" });
    const form = el("div", { class: "explain" }, el("label", {}, "In", pick), el("label", { class: "grow" }, "May it", action),
        el("button", { type: "button", class: "yes", on: { click: explain } }, "Explain"));
    const none = empty("No session is open", "Open one, and every rule that holds in it is listed here, with its place.", "writ explain read:~/.ssh/id_rsa");
    const some = el("div", {}, form, result, rules);
    const root = el("section", { class: "view" }, head("Policy", "Ask what would happen. Nothing is done, and nothing is recorded."), some, none);
    let names = "";
    let shownFor = "";

    async function explain() {
        if (!action.value.trim()) return action.focus();
        try {
            result.replaceChildren(answer(await post("/v1/decide", { sandbox: pick.value, action: action.value.trim() })));
        } catch (e) {
            result.replaceChildren(el("p", { class: "problem" }, e.message));
        }
    }

    async function list() {
        if (!pick.value || pick.value === shownFor) return;
        shownFor = pick.value;
        try {
            const found = await get(`/v1/sandboxes/${encodeURIComponent(pick.value)}/policy`);
            rules.replaceChildren(...EFFECTS.map(([effect, title]) => [title, effect, found.rules.filter((r) => r.effect === effect)])
                .filter(([, , those]) => those.length)
                .map(([title, effect, those]) => el("details", { open: effect !== "guard" },
                    el("summary", {}, chip(effect), title, el("span", { class: "dim" }, String(those.length))),
                    el("ul", {}, those.map((r) => el("li", {}, code(r.rule), el("span", { class: "dim" }, r.source)))))),
            el("p", { class: "dim" }, "Digest ", code(found.digest, "digest")));
        } catch (e) {
            say(e.message, true);
        }
    }

    function update() {
        none.hidden = events.sandboxes.length > 0;
        some.hidden = events.sandboxes.length === 0;
        const now = events.sandboxes.map((s) => s.id).join(" ");
        if (now === names) return;
        names = now;
        const before = pick.value;
        pick.replaceChildren(...events.sandboxes.map((s) => el("option", { value: s.id, selected: s.id === before }, `${s.id}  ${s.workspace}`)));
        list();
    }

    action.addEventListener("keydown", (e) => e.key === "Enter" && explain());
    pick.addEventListener("change", list);
    const stop = watch(update);
    update();
    return { root, close: stop };
}
