// `npm run golden`: compares every command's output with test/golden/expected and prints differing lines. With --update it
// writes the files again.
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
