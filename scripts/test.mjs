// `npm test`: installs what is missing, then runs checks, unit tests, walk tests and the short forms of the slow proofs. A
// fifth of the long stories (test/support/long-stories.ts) is drawn by the seed of the repository; named files all run.
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root, run } from './setup.mjs';

const asked = process.argv.slice(2);
ensureDependencies();
ensurePrograms(['tmux', 'flock', 'postgres', 'pgbouncer', 'nginx', 'zsh', 'fish', 'chromium']);
ensureBuild();
run(process.execPath, [path.join(root, 'scripts', 'check.mjs')]);
run(
  path.join(root, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', 'unit', '--project', 'walk', '--project', 'made-up', ...asked],
  { env: { ...process.env, ...(asked.length === 0 && { ROUSE_STORIES: 'drawn' }) } },
);
