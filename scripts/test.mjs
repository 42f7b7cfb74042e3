// `npm test`: sets up what is missing, then checks, unit tests, walk tests and the short forms of the slow proofs.
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root, run } from './setup.mjs';

ensureDependencies();
ensurePrograms(['tmux', 'flock', 'postgres', 'zsh', 'fish', 'chromium']);
ensureBuild();
run(process.execPath, [path.join(root, 'scripts', 'check.mjs')]);
run(path.join(root, 'node_modules', '.bin', 'vitest'), [
  'run',
  '--project',
  'unit',
  '--project',
  'walk',
  ...process.argv.slice(2),
]);
