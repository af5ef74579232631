// SPDX-License-Identifier: Apache-2.0
import { enter, get, leave, whenOver } from "./api.js";
import { el, empty, say } from "./dom.js";
import { egress } from "./egress.js";
import { events, follow, watch } from "./events.js";
import { inbox } from "./inbox.js";
import { policy } from "./policy.js";
import { record } from "./record.js";
import { sessions } from "./sessions.js";
import { tokens } from "./tokens.js";

const VIEWS = { inbox, sessions, egress, policy, record, tokens };
const main = document.getElementById("main");
const help = document.getElementById("help");
let current = null;
let inside = false;

function show() {
    if (!inside) return;
    const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
    const make = Object.hasOwn(VIEWS, name) ? VIEWS[name] : inbox;
    current?.close?.();
    current = make(rest.map(decodeURIComponent));
    main.replaceChildren(current.root);
    main.scrollTop = 0;
    for (const link of document.querySelectorAll("nav a")) {
        if (VIEWS[link.dataset.view] === make) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
}

function count() {
    const waiting = events.approvals.length;
    const badge = document.getElementById("count");
    badge.hidden = waiting === 0;
    badge.textContent = String(waiting);
    badge.setAttribute("aria-label", `${waiting} waiting`);
    document.title = waiting ? `(${waiting}) Writ` : "Writ";
}

function connection(works) {
    const place = document.getElementById("link");
    place.textContent = works ? "live" : "reconnecting";
    place.classList.toggle("works", works);
}

function over(title, text) {
    inside = false;
    current?.close?.();
    current = null;
    document.body.classList.add("outside");
    document.getElementById("link").textContent = "";
    main.replaceChildren(el("section", { class: "view gate" }, empty(title, text, "writ console")));
}

function keys(event) {
    const typing = event.target.closest?.("input, textarea, select, dialog");
    if (!inside || typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key === "?") {
        help.showModal();
    } else if (/^[1-6]$/.test(event.key)) {
        location.hash = `#/${Object.keys(VIEWS)[Number(event.key) - 1]}`;
    } else if (!current?.key?.(event.key)) {
        return;
    }
    event.preventDefault();
}

async function start() {
    whenOver(() => over("This visit is over", "A new link lets you in again. Nothing that waits was answered."));
    let good = false;
    try {
        good = await enter();
    } catch {
        say("the daemon does not answer", true);
    }
    if (!good) {
        over("This link does not lead in", "A link is good once, and for two minutes. Ask for a new one where Writ runs:");
        return;
    }
    inside = true;
    addEventListener("hashchange", () => (/^#[0-9a-f]{64}$/.test(location.hash) ? location.reload() : show()));
    addEventListener("keydown", keys);
    document.getElementById("leave").addEventListener("click", leave);
    document.querySelector(".skip").addEventListener("click", (event) => {
        event.preventDefault();
        main.focus();
    });
    document.getElementById("help-close").addEventListener("click", () => help.close());
    watch(count);
    show();
    follow(connection, () => inside);
    const about = await get("/v1/info");
    document.getElementById("version").textContent = `Writ ${about.version}`;
}

start();
