// SPDX-License-Identifier: Apache-2.0
// Speaks to the daemon. What shows who we are is kept by this tab, for this port alone; a cookie would go to every port.

const VISIT = "writ-visit";

let onEnd = () => {};

export function whenOver(listener) {
    onEnd = listener;
}

/** Exchanges the secret of the link, if there is one, and leaves nothing of it in the address. */
export async function enter() {
    const link = /^#([0-9a-f]{64})$/.exec(location.hash)?.[1];
    if (!link) return sessionStorage.getItem(VISIT) !== null;
    history.replaceState(null, "", "/#/inbox");
    const answer = await fetch("/enter", { method: "POST", headers: fields(), body: JSON.stringify({ link }) });
    if (!answer.ok) return false;
    sessionStorage.setItem(VISIT, (await answer.json()).visit);
    return true;
}

function fields() {
    return { "content-type": "application/json", "writ-console": "1" };
}

function visit() {
    return { authorization: `Bearer ${sessionStorage.getItem(VISIT) ?? ""}` };
}

/** The answer, or an error that says what is wrong. */
async function checked(answer) {
    if (answer.ok) return answer;
    if (answer.status === 401) {
        forget();
        onEnd();
    }
    let detail = `the daemon answered ${answer.status}`;
    try {
        detail = (await answer.json()).detail ?? detail;
    } catch {
        // it said no more
    }
    throw Object.assign(new Error(detail), { status: answer.status });
}

export async function get(path, signal) {
    return (await checked(await fetch(path, { headers: visit(), signal }))).json();
}

export async function post(path, body) {
    const answer = await fetch(path, { method: "POST", headers: { ...fields(), ...visit() }, body: JSON.stringify(body) });
    return (await checked(answer)).status === 204 ? null : answer.json();
}

/** Lines of JSON as they come, until there are no more. */
export async function lines(path, each) {
    const answer = await checked(await fetch(path, { headers: visit() }));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const all = (rest + part.value).split("\n");
        rest = all.pop();
        const read = all.filter(Boolean).map((line) => JSON.parse(line));
        if (read.length) each(read);
    }
}

function forget() {
    sessionStorage.removeItem(VISIT);
}

export async function leave() {
    try {
        await post("/leave", {});
    } finally {
        forget();
        onEnd();
    }
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
