import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type PrivateTmux, withTmux } from '../support/tmux.ts';

const ROOM = fileURLToPath(new URL('../../src/tmux/index.ts', import.meta.url));

/** A process that watches pane %0 of session `a`, as a gateway does. */
async function startOwner({ dir, socketPath }: PrivateTmux): Promise<{ pid: number; ended: Promise<void> }> {
  const program = path.join(dir, 'owner.mjs');
  const contents = `
    import { SessionLine, Tmux } from ${JSON.stringify(ROOM)};
    const { exec } = new Tmux({ socketPath: ${JSON.stringify(socketPath)} });
    const client = await SessionLine.join(exec, 'a');
    await client.watchOutput('%0', () => {});
    process.stdout.write('watching');`;
  await build({
    stdin: { contents, resolveDir: path.dirname(ROOM), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  });
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    void ended.then(() => reject(new Error('the owner ended before it watched')));
  });
  return { pid: child.pid!, ended };
}

describe('when the owner of a control client is killed', () => {
  it.each([
    ['at once', 0],
    ['while it is far behind', 40],
  ])(
    '%s, the program in the pane continues and no client stays after its owner was killed',
    (_when, linesBehind) =>
      withTmux(async (context) => {
        const { tmux, dir } = context;
        const file = path.join(dir, 'count');
        const write = `require('fs').appendFileSync('${file}', '.'); process.stdout.write('0'.repeat(10000) + '\\n')`;
        const command = [process.execPath, '-e', `setInterval(() => { ${write} }, 5)`];
        await tmux.newSession({ name: 'a', cwd: dir, width: 100, height: 30, command });
        const lines = (): number => (fs.existsSync(file) ? fs.statSync(file).size : 0);
        const owner = await startOwner(context);
        process.kill(owner.pid, 'SIGSTOP');
        const stopped = lines();
        await expect
          .poll(lines, { interval: 5, timeout: 30_000 })
          .toBeGreaterThanOrEqual(stopped + linesBehind);
        process.kill(owner.pid, 'SIGKILL');
        await owner.ended;
        const killed = lines();
        await expect.poll(() => tmux.listClients(), { timeout: 30_000 }).toEqual([]);
        await expect.poll(lines, { timeout: 30_000 }).toBeGreaterThan(killed + 200);
      }),
  );
});
