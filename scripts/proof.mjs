// The slow proofs at full size: `npm run test:lane`, `test:crash`, … `npm test` runs each of them in a short form.
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root, run } from './setup.mjs';

const PROOFS = {
  mail: { project: 'walk', files: ['test/mail', 'test/flatfile'] },
  kill: { project: 'walk', files: ['test/session/kill-table'] },
  lane: { project: 'walk', files: ['test/terminal/lane', 'test/terminal/text'] },
  clock: { project: 'walk', files: ['test/clock'] },
  crash: { project: 'walk', files: ['test/crash'] },
  faults: { project: 'walk', files: ['test/faults'] },
  queue: { project: 'walk', files: ['test/queue'] },
  gateway: { project: 'unit', files: ['src/gateway/http'] },
  fleet: {
    project: 'walk',
    files: [
      'test/fleet/replicas',
      'test/fleet/agents-access',
      'test/fleet/take-over',
      'test/fleet/nudge',
      'test/fleet/a2a-turns',
      'test/fleet/operators',
      'test/fleet/gateway-in-fleet',
    ],
  },
  screens: { project: 'unit', files: ['test/screen/lost-rows'] },
  agents: { project: 'agents', files: ['test/agents'], timeout: 120_000 },
};

const names = process.argv[2] ? [process.argv[2]] : Object.keys(PROOFS);
if (names.some((name) => !(name in PROOFS))) {
  console.error(`usage: npm run test:proofs -- [${Object.keys(PROOFS).join('|')}]`);
  process.exit(2);
}
ensureDependencies();
ensurePrograms(['tmux', 'flock']);
ensureBuild();
for (const name of names) {
  const { project, files, timeout = 7_200_000 } = PROOFS[name];
  run(
    path.join(root, 'node_modules', '.bin', 'vitest'),
    ['run', '--project', project, '--testTimeout', String(timeout), ...files],
    { env: { ...process.env, ROUSE_PROOF: 'full' } },
  );
}
