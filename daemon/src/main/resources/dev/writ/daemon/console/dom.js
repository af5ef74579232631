// SPDX-License-Identifier: Apache-2.0
// The one way in which anything gets onto the page: as text. What an agent can name is hostile.

const HIDDEN =
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{M}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|(?! )\p{Zs}/gu;

/** The text with everything written out that is invisible, or moves or changes what is around it. */
export function shown(text) {
    return String(text).replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** The characters outside of ASCII that are shown as themselves, and may look like others. */
export function strange(text) {
    const drawn = shown(value(text)).match(/[^\0-\x7f]/gu) ?? [];
    return [...new Set(drawn)].map((c) => `${c} U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
}

/** An element. Attributes are ours; children are elements or texts. */
export function el(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "on") {
            for (const [type, listener] of Object.entries(value)) made.addEventListener(type, listener);
        } else if (value !== false && value !== null && value !== undefined) {
            made.setAttribute(name, value === true ? "" : shown(value));
        }
    }
    made.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false)
        .map((c) => (c instanceof Node ? c : shown(c))));
    return made;
}

/** Something that an agent may have named, as it is and whole. */
export function code(text, more = "") {
    return el("code", { class: `code ${more}`, dir: "ltr" }, value(text));
}

/** Words of a command, with what is between them beyond doubt. */
export function command(words) {
    return el("code", { class: "code words", dir: "ltr" },
        words.flatMap((word) => [el("span", { class: "word" }, value(word) === "" ? "''" : value(word)), " "]));
}

/** A value of an event, or what stands for it (docs/events.md). */
export function value(v) {
    if (v === null || v === undefined) return "";
    if (Array.isArray(v)) return v.map(value).join(" ");
    if (typeof v !== "object") return String(v);
    if ("hidden" in v) return "[hidden: a secret]";
    if ("shown" in v) return `${v.shown} [not UTF-8]`;
    if ("head" in v) return `${v.head} […${v.bytes} bytes, the middle is left out…] ${v.tail}`;
    return JSON.stringify(v);
}

export function chip(word, text = word) {
    return el("span", { class: `chip ${word}` }, text);
}

/** What is there when nothing is. */
export function empty(title, text, example) {
    return el("div", { class: "empty" }, el("h2", {}, title), el("p", {}, text),
        example && el("pre", { class: "code" }, example));
}

export function head(title, text, ...more) {
    return el("header", { class: "head" }, el("div", {}, el("h1", {}, title), el("p", {}, text)), ...more);
}

export function bytes(n) {
    const units = ["B", "KB", "MB", "GB", "TB"];
    let i = 0;
    let left = n;
    while (left >= 1000 && i < units.length - 1) {
        left /= 1000;
        i++;
    }
    return `${i > 0 && left < 10 ? left.toFixed(1) : Math.round(left)} ${units[i]}`;
}

export function clock(at) {
    const time = new Date(at);
    return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour12: false });
}

export function moment(at) {
    const time = new Date(at);
    return Number.isNaN(time.getTime()) ? "" : time.toLocaleString([], { hour12: false, dateStyle: "medium", timeStyle: "short" });
}

let timer = 0;

/** Tells the operator something, for a while. */
export function say(text, wrong = false) {
    const place = document.getElementById("say");
    place.textContent = shown(text);
    place.className = `say there${wrong ? " wrong" : ""}`;
    clearTimeout(timer);
    timer = setTimeout(() => place.classList.remove("there"), 6000);
}
