// `npm start`: installs what is missing, builds, and runs the demo.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureBuild, ensureDependencies, ensurePrograms, root } from './setup.mjs';

ensureDependencies();
ensurePrograms(['tmux']);
ensureBuild('--release');

const demo = spawn(path.join(root, 'bin', 'rouse'), ['demo', ...process.argv.slice(2)], { stdio: 'inherit' });
// The terminal sends Ctrl-C to the demo itself; this process only waits for its end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && demo.kill(signal));
// npm was killed without a signal to us.
const { ppid } = process;
const watch = setInterval(() => {
  if (process.ppid === ppid) return;
  clearInterval(watch);
  demo.kill('SIGTERM');
}, 1000);
demo.on('exit', (code) => process.exit(code === 130 ? 0 : (code ?? 1)));
