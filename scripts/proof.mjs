// The slow proofs at full size: `npm run test:lane`, `test:crash`, … `npm test` runs each of them in a short form.
import { PROOFS, proofCall, vitest } from './proofs.mjs';
import { ensureBuild, ensureDependencies, ensurePrograms, run } from './setup.mjs';

const names = process.argv[2] ? [process.argv[2]] : Object.keys(PROOFS);
if (names.some((name) => !(name in PROOFS))) {
  console.error(`usage: npm run test:proofs -- [${Object.keys(PROOFS).join('|')}]`);
  process.exit(2);
}
ensureDependencies();
ensurePrograms(['tmux', 'flock']);
ensureBuild();
for (const name of names) {
  const { args, env } = proofCall(name);
  run(vitest, args, { env });
}
