// `npm run golden`: every command's output as it was committed in test/golden/expected; differing lines are printed.
// With --update the files are written anew.
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root, run } from './setup.mjs';

const [first, ...rest] = process.argv.slice(2);
const update = first === '--update';
ensureDependencies();
ensurePrograms(['tmux', 'flock']);
ensureBuild();
run(
  path.join(root, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', 'walk', 'test/golden', ...(update ? rest : process.argv.slice(2))],
  { env: { ...process.env, ROUSE_PROOF: 'full', ...(update && { GOLDEN_UPDATE: 'yes' }) } },
);
