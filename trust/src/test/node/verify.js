// SPDX-License-Identifier: Apache-2.0
// Verifies each bundle that is named on the command line with the public key in KEY, and says `ok` or what is wrong.
const fs = require('node:fs');
const crypto = require('node:crypto');
const { bundleFromJSON } = require('@sigstore/bundle');
const { Verifier, toSignedEntity } = require('@sigstore/verify');

const publicKey = crypto.createPublicKey(fs.readFileSync(process.env.KEY));
const material = {
  certificateAuthorities: [],
  timestampAuthorities: [],
  tlogs: [],
  ctlogs: [],
  publicKey: () => ({ publicKey, validFor: () => true }),
};
const verifier = new Verifier(material, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
for (const name of process.argv.slice(2)) {
  try {
    verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(fs.readFileSync(name, 'utf8')))));
    console.log('ok');
  } catch (e) {
    console.log(`refused ${e.code || e.name}`);
  }
}
