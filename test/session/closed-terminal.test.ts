import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellQuote, shellWords } from '../../src/base/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/server-files.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { withTmux } from '../support/tmux.ts';

const at = (file: string): string => path.resolve(import.meta.dirname, '../..', file);

/** Programs that a person may leave running in a window, what each shows while it runs, and its exit code after a hang-up. */
const PROGRAMS = [
  ['the scripted agent', [process.execPath, at('dist/scripted-agent.cjs')], '❯', '129'],
  ['the fleet server', [at('bin/rouse'), 'server', 'start', '--port', '0'], '127.0.0.1:', '0'],
] as const;

describe('a terminal that is closed', () => {
  it.each(PROGRAMS)('a terminal that is closed lets %s end in order', async (_, words, shown, code) => {
    await withTmux(async ({ tmux, dir }) => {
      const { database } = serverFiles(dir);
      await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
      const ended = path.join(dir, 'ended');
      // The shell survives its terminal, passes the hang-up on, and reports how the program ended.
      const line = `exec 3<&0; ROUSE_HOME=${shellQuote(dir)} ${shellWords(words)} <&3 & trap "kill -HUP $!" HUP
        wait $!; wait $!; echo $? > ${shellQuote(ended)}`;
      await tmux.run([['new-session', '-d', '-s', 'closing', line]]);
      await expect
        .poll(() => tmux.run([['capture-pane', '-p', '-t', 'closing']]), { timeout: 60_000 })
        .toContain(shown);
      await tmux.run([['kill-session', '-t', 'closing']]);
      await expect
        .poll(() => fs.existsSync(ended) && fs.readFileSync(ended, 'utf8').trim(), { timeout: 30_000 })
        .toBe(code);
    });
  });
});
