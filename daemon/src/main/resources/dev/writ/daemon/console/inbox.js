// SPDX-License-Identifier: Apache-2.0
// What waits for an answer.
import { post } from "./api.js";
import { el, empty, head, say } from "./dom.js";
import { events, watch } from "./events.js";
import { Question } from "./question.js";

/** How long what was answered stays where it is, so that nothing moves under a finger. */
const STAYS = 2500;

const WORDS = {
    "approve once": "Approved, this once", "approve session": "Approved for this session",
    "approve always": "Approved from now on", "refuse once": "Refused", "refuse all": "Refused, with all others of this session",
};

export function inbox() {
    const cards = new Map();
    const list = el("div", { class: "questions", role: "feed", "aria-label": "Questions" });
    const none = empty("Nothing waits", "When a rule says ask, the question comes here, and the agent waits for your answer.",
        "ask:\n  - exec:git push");
    const hint = el("p", { class: "hint" }, el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " move, ", el("kbd", {}, "a"), " approve, ",
        el("kbd", {}, "r"), " refuse, ", el("kbd", {}, "?"), " all keys");
    const root = el("section", { class: "view" }, head("Inbox", "What your agents may do only if you say so.", hint), list, none);
    let selected = null;

    async function answer(card, decision, scope) {
        if (card.busy || card.settled) return;
        card.busy = true;
        try {
            await post(`/v1/approvals/${encodeURIComponent(card.id)}`, { decision, scope, digest: card.asked.digest });
            settle(card, WORDS[`${decision} ${scope}`], decision === "approve" ? "allow" : "deny");
        } catch (e) {
            if (e.status === 404) settle(card, "Nobody waits for it any more", "gone");
            else say(e.message, true);
        } finally {
            card.busy = false;
        }
    }

    function settle(card, text, kind) {
        if (card.settled) return;
        const next = card === selected ? neighbour(1) ?? neighbour(-1) : null;
        card.settle(text, kind);
        say(`${text}.`);
        if (next) select(next, true);
        setTimeout(() => remove(card), STAYS);
    }

    function remove(card) {
        card.root.remove();
        cards.delete(card.id);
        for (const other of cards.values()) other.still();
        if (card === selected) select([...cards.values()].find((c) => !c.settled) ?? null);
        update();
    }

    function neighbour(step) {
        const open = [...cards.values()].filter((c) => !c.settled || c === selected);
        const at = open.indexOf(selected);
        return open[at + step] ?? null;
    }

    function select(card, move = false) {
        selected?.root.classList.remove("selected");
        selected = card;
        if (!card) return;
        card.root.classList.add("selected");
        card.still();
        if (!card.root.contains(document.activeElement)) card.root.focus({ preventScroll: true });
        if (move) card.root.scrollIntoView({ block: card.root.offsetHeight > innerHeight * 0.8 ? "start" : "nearest" });
    }

    function update() {
        const waiting = new Map(events.approvals.map((a) => [a.id, a]));
        for (const asked of waiting.values()) {
            const known = cards.get(asked.id);
            if (known) {
                known.update(asked);
                continue;
            }
            const card = new Question(asked, answer);
            card.root.addEventListener("focusin", () => card !== selected && !card.settled && select(card));
            cards.set(asked.id, card);
            list.append(card.root);
        }
        for (const card of cards.values()) {
            if (!waiting.has(card.id) && !card.busy) settle(card, "Nobody waits for it any more", "gone");
        }
        if (!selected || selected.settled || !cards.has(selected.id)) select([...cards.values()].find((c) => !c.settled) ?? null);
        none.hidden = cards.size > 0;
        hint.hidden = cards.size === 0;
        tick();
    }

    function tick() {
        for (const card of cards.values()) if (!card.settled) card.tick(Date.now());
    }

    function key(pressed) {
        if (pressed === "j" || pressed === "k") {
            const to = neighbour(pressed === "j" ? 1 : -1);
            if (to) select(to, true);
            return true;
        }
        if (!selected) return false;
        if (pressed === "Escape") return selected.closePreview();
        if (!selected.preview.hidden) return false;
        const does = { a: "once", s: "session", A: "always", r: "refuse", R: "all" }[pressed];
        if (does) selected.choose(does);
        return Boolean(does);
    }

    const stop = watch(update);
    const timer = setInterval(tick, 1000);
    update();
    return { root, key, close: () => (stop(), clearInterval(timer)) };
}
