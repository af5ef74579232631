// SPDX-License-Identifier: Apache-2.0
// What happens in all sandboxes, as it happens; and what waits for an answer.
import { get, lines, pause } from "./api.js";

const MOST = 10000;

export const events = { list: [], after: 0, sandboxes: [], approvals: [], skew: 0 };

const listeners = new Set();
let told = false;

/** Calls the listener soon after something has changed; gives the way to stop that. */
export function watch(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

function changed() {
    if (told) return;
    told = true;
    setTimeout(() => {
        told = false;
        for (const listener of [...listeners]) listener();
    }, 60);
}

function add(some) {
    for (const event of some) {
        events.after = event.seq;
        events.list.push(event);
    }
    if (events.list.length > MOST) events.list.splice(0, events.list.length - MOST);
    if (some.some((e) => ["opened", "closed", "started", "exited"].includes(e.event))) look();
    changed();
}

let looking = null;

/** Which sandboxes there are. Many changes at once are one look. */
export function look() {
    looking ??= pause(200).then(async () => {
        looking = null;
        events.sandboxes = (await get("/v1/sandboxes")).sandboxes;
        changed();
    }).catch(() => {});
    return looking;
}

/** Goes on until the visit is over. */
async function again(what, state, running) {
    let wait = 250;
    while (running()) {
        try {
            await what(() => {
                wait = 250;
            });
        } catch (e) {
            if (e.status === 401) return;
        }
        if (!running()) return;
        state(false);
        await pause(wait);
        wait = Math.min(wait * 2, 5000);
    }
}

/** @param state is told whether the daemon answers */
export function follow(state, running) {
    look();
    again(async (works) => {
        await lines(`/v1/events?after=${events.after}`, (some) => {
            works();
            state(true);
            add(some);
        });
    }, () => {}, running);
    again(async (works) => {
        for (let known = -1; running(); ) {
            // The first time at once, then when something has changed.
            const path = known < 0 ? "/v1/approvals" : `/v1/approvals?after=${known}&wait_ms=25000`;
            const answer = await get(path);
            known = answer.changes;
            events.approvals = answer.approvals;
            works();
            state(true);
            changed();
        }
    }, state, running);
    setInterval(() => running() && look(), 15000);
}
