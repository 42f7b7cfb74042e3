// `npm start`: sets up what is missing, builds, and shows the product's main job with embedded defaults.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root } from './setup.mjs';

ensureDependencies();
ensurePrograms(['tmux']);
ensureBuild('--release');

const demo = spawn(path.join(root, 'bin', 'rouse'), ['demo', ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl-C reaches the demo from the terminal itself; this process only waits for its orderly end.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && demo.kill(signal));
demo.on('exit', (code) => process.exit(code === 130 ? 0 : (code ?? 1)));
