// SPDX-License-Identifier: Apache-2.0
// A client made with the official TypeScript SDK. usage: client.mjs WRIT, or client.mjs URL TOKEN
import { execSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [where, token] = process.argv.slice(2);
const way = token ? 'http' : 'stdio';
const asked = [];
let answer = { action: 'decline' };

function transport() {
    return token
        ? new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
        : new StdioClientTransport({ command: where, args: ['mcp'], env: process.env, stderr: 'ignore' });
}

async function connected(capabilities) {
    const client = new Client({ name: 'sdk', version: '1' }, { capabilities });
    if (capabilities.elicitation) {
        client.setRequestHandler(ElicitRequestSchema, async (request) => {
            asked.push(request.params.message);
            return answer;
        });
    }
    await client.connect(transport());
    return client;
}

function check(name, good, got) {
    console.log(`${good ? 'ok' : 'not ok'} ${way}: ${name}`);
    if (!good) console.error(name, JSON.stringify(got));
}

const client = await connected({ elicitation: {} });
const run = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const shell = (command, more) => run('shell', { command, ...more });

const { tools } = await client.listTools();
check('every tool says what it takes and gives', tools.every((t) => t.description && t.inputSchema.additionalProperties === false && t.outputSchema), tools);

let result = await shell('echo hello; echo careful >&2');
check('a command runs', result.structuredContent.stdout === 'hello\n' && result.structuredContent.stderr === 'careful\n' && !result.isError, result);
result = await shell('cat /etc/shadow');
check('what is denied is an error of the tool, with the rule', result.isError && /writ: denied: `read:\/etc\/shadow`/.test(result.content[0].text), result);
result = await run('shell', { argv: ['printf', '%s', '$HOME;`id`'] });
check('words are not read by a shell', result.structuredContent.stdout === '$HOME;`id`', result);
result = await run('fetch', { url: 'https://example.com/' });
check('a request that no rule allows is denied', result.isError && /writ: denied/.test(result.content[0].text), result);

result = await shell('id -u');
check('a question that is declined is a no', result.isError && asked.length === 1, result);
check('it shows what, who and by which rule', /what \| exec:\/usr\/bin\/id -u/.test(asked[0]) && /by +\| /.test(asked[0]) && /rule +`exec:id`/.test(asked[0]), asked);
answer = { action: 'accept', content: { answer: 'once' } };
result = await shell('id -u');
check('a yes lets it happen', !result.isError && asked.length === 2, result);
answer = { action: 'accept', content: {} };
result = await shell('id -u');
check('it counts once, and what is no clear yes is a no', result.isError && asked.length === 3, result);
answer = { action: 'accept', content: { answer: 'session' } };
await shell('id -u');
answer = { action: 'cancel' };
result = await shell('id -u');
check('a yes for the session is remembered', !result.isError && asked.length === 4, result);
result = await shell('id -g');
check('but for nothing else', result.isError && asked.length === 5, result);

const marks = [];
await run('shell', { command: 'sleep 5' }, { onprogress: (p) => marks.push(p), timeout: 30000 });
check('progress is told', marks.length > 0, marks);
const many = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => shell(`sleep 1; echo ${n}`)));
check('several commands run at once', many.every((r, i) => r.structuredContent.stdout === `${i + 1}\n`), many);

const end = new AbortController();
const runs = () => execSync('ps -eo args').toString().includes('sleep 1003.7');
const until = async (wanted) => {
    for (let i = 0; i < 100 && runs() !== wanted; i++) await new Promise((done) => setTimeout(done, 100));
};
const long = run('shell', { command: 'exec sleep 1003.7' }, { signal: end.signal, timeout: 600000 }).catch((e) => e);
await until(true);
check('a long call runs', runs(), '');
end.abort();
await long;
await until(false);
check('a cancelled call ends its command', !runs(), '');


const quiet = await connected({});
result = await quiet.callTool({ name: 'shell', arguments: { command: 'id -u' } });
check('a client that cannot ask is told so', result.isError && /does not offer elicitation/.test(result.content[0].text), result);
check('and another client\'s yes is not its own', result.isError, result);
await quiet.close();
await client.close();
