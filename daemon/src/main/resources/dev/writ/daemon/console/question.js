// SPDX-License-Identifier: Apache-2.0
// One question: everything that it is about, in full, and what can be said to it.
import { chip, clock, code, command, el, say, strange } from "./dom.js";

/** How long a question has to stand still before it can be answered: nobody answers what they have not seen. */
export const STILL = 700;

function fact(name, ...what) {
    return [el("dt", {}, name), el("dd", {}, ...what)];
}

function lineage(tasks) {
    return el("ol", { class: "lineage" }, tasks.map((task, i) =>
        el("li", {},
            el("span", { class: "who" }, i === 0 ? "asks" : "started by", " ", el("span", { class: "dim" }, `process ${task.process}`)),
            code(task.program), task.command.length > 0 && command(task.command))));
}

function button(word, key, does, kind = "") {
    return el("button", { type: "button", class: kind, "data-does": does }, word, el("kbd", { "aria-hidden": "true" }, key));
}

/** @param answer is told what was chosen, as ("approve", "once") */
export class Question {
    constructor(asked, answer) {
        this.id = asked.id;
        this.asked = asked;
        this.answer = answer;
        this.settled = "";
        this.times = el("span", { class: "times" });
        this.left = el("span", { class: "left" });
        this.bar = el("progress", { max: "1", value: "1", "aria-label": "time left" });
        this.buttons = el("div", { class: "answers", role: "group", "aria-label": "Answers" },
            button("Approve once", "a", "once", "yes"), button("This session", "s", "session"),
            asked.remembered && button("Always…", "A", "always"),
            button("Refuse", "r", "refuse", "no"), button("Refuse all", "R", "all", "quiet"));
        this.preview = el("div", { class: "preview", hidden: true });
        this.object = el("div", { class: "object", tabindex: "0", "aria-label": "What is asked for", on: { scroll: () => this.isSeen() } },
            code(asked.action, "big"));
        this.root = this.build(asked);
        this.buttons.addEventListener("click", (e) => this.choose(e.target.closest("button")?.dataset.does));
        this.update(asked);
        this.still();
    }

    build(asked) {
        return el("article", { class: "question", tabindex: "0", "aria-label": `Question ${asked.id}`, "data-id": asked.id },
            el("div", { class: "asks" }, chip("ask"), this.times, this.left), this.bar,
            this.object,
            el("dl", { class: "facts" },
                strange(asked.action).length > 0 && fact("Not ASCII", strange(asked.action).map((c) => [code(c), " "]).flat()),
                fact("Rule", code(asked.rule), " ", el("span", { class: "dim" }, asked.source)),
                fact("Who", lineage(asked.lineage)),
                fact("Session", el("a", { href: `#/sessions/${encodeURIComponent(asked.sandbox)}` }, asked.sandbox),
                    " ", el("span", { class: "dim" }, `${asked.principal ? `for ${asked.principal}, ` : ""}asked at ${clock(asked.asked)}`)),
                fact("Workspace", code(asked.folder)),
                asked.stdin ? [...fact("Works in", asked.cwd ? code(asked.cwd) : "cannot be said for certain"),
                    ...fact("Input", code(asked.stdin))] : null,
                fact("Variables", asked.environment.length ? asked.environment.map((name) => [code(name), " "]).flat() : "none"),
                fact("Policy", code(asked.policy, "digest"))),
            this.buttons, this.preview);
    }

    update(asked) {
        this.asked = { ...this.asked, times: asked.times };
        this.times.textContent = asked.times > 1 ? `${asked.times} wait for the same` : "";
    }

    /** It has moved or is new: for a moment nothing can be said to it. */
    still() {
        this.armed = performance.now() + STILL;
        this.buttons.classList.add("moving");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.buttons.classList.remove("moving"), STILL);
    }

    tick(now) {
        const whole = Date.parse(this.asked.until) - Date.parse(this.asked.asked);
        const left = Math.max(0, Date.parse(this.asked.until) - now);
        this.bar.value = whole > 0 ? Math.min(1, left / whole) : 0;
        const seconds = Math.floor(left / 1000);
        this.left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
        this.root.classList.toggle("soon", seconds < 60);
    }

    choose(what) {
        if (!what || this.settled || performance.now() < this.armed) return;
        if (what !== "refuse" && what !== "all" && !this.isSeen()) {
            this.object.scrollBy({ top: this.object.clientHeight * 0.8 });
            say("There is more of it: it can be approved once its end has been seen.", true);
            return;
        }
        const answers = { once: ["approve", "once"], session: ["approve", "session"], refuse: ["refuse", "once"], all: ["refuse", "all"] };
        if (what === "always") this.ask();
        else if (answers[what]) this.answer(this, ...answers[what]);
    }

    /** Whether the end of what is asked for has been on the screen: until then it is not approved. */
    isSeen() {
        const { scrollTop, clientHeight, scrollHeight } = this.object;
        this.seen ||= clientHeight > 0 && scrollTop + clientHeight >= scrollHeight - 2;
        return this.seen;
    }

    /** What `always` would add, before it does. */
    ask() {
        if (!this.asked.remembered || !this.preview.hidden) return;
        const yes = el("button", { type: "button", class: "yes", on: { click: () => this.answer(this, "approve", "always") } }, "Add this line");
        const no = el("button", { type: "button", on: { click: () => this.closePreview() } }, "Back", el("kbd", {}, "Esc"));
        this.preview.replaceChildren(
            el("p", {}, "From now on this is allowed without a question. One line is added:"),
            el("div", { class: "diff", tabindex: "0" }, el("span", { class: "dim" }, this.asked.remembered_in),
                el("ins", {}, "+ ", code(this.asked.remembered))),
            el("div", { class: "answers" }, yes, no));
        this.preview.hidden = false;
        this.buttons.hidden = true;
        yes.focus();
    }

    closePreview() {
        if (this.preview.hidden) return false;
        this.preview.hidden = true;
        this.buttons.hidden = false;
        this.root.focus();
        return true;
    }

    settle(text, kind) {
        this.settled = text;
        this.root.classList.add("settled", kind);
        this.preview.hidden = true;
        this.buttons.hidden = false;
        this.buttons.replaceChildren(el("p", { class: "outcome" }, text));
    }
}
