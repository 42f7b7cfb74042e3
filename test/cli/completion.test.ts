import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCRIPTS, SHELLS } from '../../src/cli/complete/scripts.ts';

/** How to ask each shell, without a person, what Tab after `WORD ` offers. */
const TAB: Record<string, (script: string) => string> = {
  bash: (script) => `. ${script}
COMP_LINE="$1 " COMP_POINT=\${#COMP_LINE} COMP_WORDS=("$1" '') COMP_CWORD=1
_rouse_complete 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script) => `. ${script}
_describe() { print -l -- $items }
words=("$1" '') CURRENT=2
_rouse`,
  fish: (script) => `source ${script}; complete -C "$argv[1] "`,
};

let place: string;
beforeAll(() => {
  place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-completion-'));
  const program = (directory: string, text: string): void => {
    fs.mkdirSync(path.join(place, directory), { recursive: true });
    for (const name of ['rouse', 'houmao-mgr'])
      fs.writeFileSync(path.join(place, directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  program('installed', `printf 'status\\tof an agent\\n'`);
  program('project', `: >"${place}/was-run"; printf 'planted\\tby a repository\\n'`);
  for (const shell of SHELLS) fs.writeFileSync(path.join(place, shell), SCRIPTS[shell]!);
});
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

const tab = async (shell: string, word: string, first: string): Promise<string> => {
  const words = shell === 'fish' ? ['-c', TAB[shell]!(path.join(place, shell)), word] : undefined;
  const quiet = shell === 'zsh' ? ['-f'] : ['--norc'];
  const { stdout } = await promisify(execFile)(
    shell,
    words ?? [...quiet, '-c', TAB[shell]!(path.join(place, shell)), shell, word],
    {
      cwd: path.join(place, 'project'),
      env: { HOME: place, PATH: `${first}${process.env['PATH']}` },
    },
  );
  return stdout;
};

describe.each(SHELLS)('a Tab in %s', (shell) => {
  it.each(['rouse', './rouse', './houmao-mgr', 'houmao-mgr'])(
    'behind %s asks the installed program and runs none of the current directory',
    async (word) => {
      expect(await tab(shell, word, `${place}/installed:`)).toContain('status');
      expect(fs.existsSync(path.join(place, 'was-run'))).toBe(false);
    },
  );

  it.each(['rouse', './rouse'])('behind %s runs nothing where the path leads into it', async (word) => {
    expect(await tab(shell, word, '.:')).not.toContain('planted');
    expect(fs.existsSync(path.join(place, 'was-run'))).toBe(false);
  });
});
