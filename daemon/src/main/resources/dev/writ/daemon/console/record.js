// SPDX-License-Identifier: Apache-2.0
// Whether what was written down is as it was signed.
import { get } from "./api.js";
import { chip, code, el, head } from "./dom.js";

const SAYS = {
    verified: ["Everything is as it was signed", "Nothing was changed, dropped or removed."],
    unchecked: ["Nothing is wrong", "What is unchecked has nothing to be compared with yet: sessions that run are signed when they end."],
    wrong: ["Something is not as it was signed", "Keep a copy of the folder as it is now, and trust nothing in it from there on."],
};

let latest = null;

export function record() {
    const button = el("button", { type: "button", class: "yes", on: { click: verify } }, "Verify now");
    const body = el("div", { "aria-live": "polite" });
    const root = el("section", { class: "view" },
        head("Record", "Every verdict is in a signed log before it takes effect. Anybody with the public key can check it.", button), body);

    async function verify() {
        button.disabled = true;
        button.textContent = "Verifying…";
        try {
            latest = { ...(await get("/v1/log")), at: new Date() };
            draw();
        } catch (e) {
            body.replaceChildren(el("p", { class: "problem" }, e.message));
        }
        button.disabled = false;
        button.textContent = "Verify again";
    }

    function draw() {
        const [title, text] = SAYS[latest.state] ?? [latest.state, ""];
        const all = [...latest.findings].sort((a, b) => Number(b.state === "wrong") - Number(a.state === "wrong"));
        body.replaceChildren(
            el("article", { class: `seal ${latest.state}` }, el("h2", {}, title), el("p", {}, text),
                el("p", { class: "dim" }, `${latest.looked_at} looked at, ${latest.wrong} wrong, at ${latest.at.toLocaleTimeString([], { hour12: false })}. `,
                    latest.complete ? "" : "It took too long and is not complete: use writ log verify. ", "In ", code(latest.folder))),
            el("ul", { class: "findings" }, all.map((f) => el("li", {}, chip(f.state), el("div", {}, code(f.what), el("p", {}, f.says,
                f.entry === undefined ? "" : ` (entry ${f.entry})`))))),
            el("p", { class: "dim", hidden: latest.findings.length >= latest.looked_at }, "Not all of them are shown: writ log verify lists the rest."));
    }

    if (latest) draw();
    else verify();
    return { root };
}
