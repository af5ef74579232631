// SPDX-License-Identifier: Apache-2.0
// Reads cases from a file, one JSON object a line; verifies our token and makes one of its own from the same texts.
import { readFileSync, writeFileSync } from 'node:fs';
import * as b from '@biscuit-auth/biscuit-wasm';

b.init();
const privateKey = (hex) => b.PrivateKey.fromString(`ed25519-private/${hex}`);

// It gives itself a millisecond, whatever it is told; on a busy machine that is a matter of luck.
function verdict(token, code) {
  let found = 'timeout';
  for (let i = 0; i < 20 && found === 'timeout'; i++) found = tryOnce(token, code);
  return found;
}

function tryOnce(token, code) {
  const builder = new b.AuthorizerBuilder();
  builder.addCode(code);
  try {
    return `allow ${builder.buildAuthenticated(token).authorize()}`;
  } catch (e) {
    const refused = e?.FailedLogic?.Unauthorized ?? e?.FailedLogic?.NoMatchingPolicy;
    if (e?.RunLimit === 'Timeout') return 'timeout';
    if (!refused) return 'stopped';
    const checks = refused.checks.map((c) =>
      c.Block ? `${c.Block.block_id}.${c.Block.check_id}` : `-1.${c.Authorizer.check_id}`);
    return `deny ${checks.join(' ')}`.trim();
  }
}

function block(code) {
  const builder = new b.BlockBuilder();
  builder.addCode(code);
  return builder;
}

function make(test) {
  const builder = new b.BiscuitBuilder();
  builder.addCode(test.blocks[0].code);
  let token = builder.build(privateKey(test.root));
  for (const { code, giver } of test.blocks.slice(1)) {
    if (giver) {
      const key = privateKey(giver);
      const given = token.getThirdPartyRequest().createBlock(key, block(code));
      token = token.appendThirdPartyBlock(b.KeyPair.fromPrivateKey(key).getPublicKey(), given);
    } else {
      token = token.appendBlock(block(code));
    }
  }
  return test.sealed ? token.sealToken() : token;
}

function answer(test) {
  const root = b.KeyPair.fromPrivateKey(privateKey(test.root)).getPublicKey();
  const bytes = Buffer.from(test.token, 'base64url');
  const read = b.Biscuit.fromBytes(bytes, root);
  let tampered = 'accepted';
  bytes[bytes.length >> 1] ^= 1;
  try {
    b.Biscuit.fromBytes(bytes, root);
  } catch {
    tampered = 'refused';
  }
  const made = make(test);
  return {
    ids: read.getRevocationIdentifiers(),
    verdict: verdict(read, test.authorizer),
    tampered,
    token: Buffer.from(made.toBytes()).toString('base64url'),
    madeIds: made.getRevocationIdentifiers(),
    madeVerdict: verdict(made, test.authorizer),
  };
}

const lines = readFileSync(process.argv[2], 'utf8').trim().split('\n');
const out = lines.map((line) => {
  try {
    return JSON.stringify(answer(JSON.parse(line)));
  } catch (e) {
    return JSON.stringify({ failure: String(e?.message ?? JSON.stringify(e)) + ' in ' + line });
  }
});
writeFileSync(process.argv[3], out.join('\n') + '\n');
