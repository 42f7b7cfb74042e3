import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';
import { writePaneProgram } from '../../src/session/life/tool-pane.ts';
import { withTmux } from '../support/tmux.ts';

/** Draws once, prints when it is continued, and ends on request. */
const TOOL = `
  const fs = require('node:fs');
  process.stderr.write('what the tool shows');
  process.on('SIGCONT', () => fs.writeFileSync('continued', ''));
  process.on('SIGTERM', () => process.exit(0));
  fs.writeFileSync('pid', String(process.pid));
  setInterval(() => {}, 1000);
`;

it('a tool that is stopped is continued, and its shell writes nothing on its screen', () =>
  withTmux(async ({ tmux, dir }) => {
    const launch = path.join(dir, 'launch');
    fs.mkdirSync(launch);
    const { command } = writePaneProgram({
      directory: launch,
      title: 'tool',
      workdir: dir,
      command: [process.execPath, '-e', TOOL],
      env: {},
    });
    await tmux.newSession({ name: 'tool', cwd: dir, width: 80, height: 24, command });
    const screen = (): Promise<string> => tmux.run([['capture-pane', '-p', '-t', '=tool:0']]);
    // If it is read too early it is 0, and a signal to 0 goes to our whole process group.
    let pid = 0;
    await until(() => {
      if (fs.existsSync(path.join(dir, 'pid'))) pid = Number(fs.readFileSync(path.join(dir, 'pid'), 'utf8'));
      return pid > 0;
    });
    await until(async () => (await screen()).includes('what the tool shows'));
    for (const signal of ['SIGSTOP', 'SIGTSTP', 'SIGSTOP']) {
      fs.rmSync(path.join(dir, 'continued'), { force: true });
      process.kill(pid, signal);
      await until(() => fs.existsSync(path.join(dir, 'continued')));
      expect((await screen()).trim()).toBe('what the tool shows');
    }
    process.kill(pid, 'SIGTERM');
    await until(async () => /ended with code 0/.test(await screen()));
  }));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
