import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { publishRecord } from '../../src/session/records/registry.ts';
import { sampleManifest, sampleRecord, writeSession } from '../../src/session/testing.ts';

const BIN = path.resolve(import.meta.dirname, '../../bin/rouse');
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-tab-')));
const at = (...names: string[]): string => path.join(root, ...names);
const env = {
  PATH: `${at('bin')}:${process.env['PATH']}`,
  HOME: at('home'),
  ROUSE_HOME: at('home/.rouse'),
  TERM: 'xterm',
  LANG: 'C.UTF-8',
};

const tmux = (...args: string[]): string =>
  execFileSync('tmux', ['-f', '/dev/null', '-S', at('tmux'), ...args], { env, encoding: 'utf8' });
const rouse = (...args: string[]): string => execFileSync(BIN, args, { env, encoding: 'utf8' });

let ref: string;
beforeAll(async () => {
  for (const name of ['bin', 'home', 'work/dir-one']) fs.mkdirSync(at(name), { recursive: true });
  // Asked to complete it is the real one; any other line is only shown, so that a test sees what the shell made of it.
  for (const name of ['rouse', 'houmao-mgr'])
    fs.writeFileSync(
      at('bin', name),
      `#!/bin/sh\ncase $1 in complete|completion) exec ${BIN} "$@" ;; esac\necho "ran: $*."\n`,
      { mode: 0o755 },
    );
  const manifestPath = writeSession(at('home/.rouse/runtime'), sampleManifest({ agentName: 'ana' }));
  await publishRecord(
    at('home/.rouse/registry'),
    sampleRecord({ agentName: 'ana', manifestPath }, new Date()),
    systemClock,
  );
  rouse('mailbox', 'init');
  rouse('mailbox', 'register', '--address', 'ana@test');
  rouse('mail', 'post', '--address', 'ana@test', '--subject', 'one: two', '--body-content', 'hello');
  ref = JSON.parse(rouse('--json', 'mail', 'list', '--address', 'ana@test')).messages[0].message_ref;
});
afterAll(() => {
  spawnSync('tmux', ['-S', at('tmux'), 'kill-server']);
  fs.rmSync(root, { recursive: true, force: true });
});

const SHELLS: Record<string, { start: string; source: string }> = {
  bash: { start: 'bash --noprofile --norc -i', source: 'source <(rouse completion bash)' },
  zsh: { start: 'zsh -f -i', source: 'autoload -U compinit; compinit -u; source <(rouse completion zsh)' },
  fish: { start: 'fish --no-config -i', source: 'rouse completion fish | source' },
};

describe.each(Object.entries(SHELLS))('completion in %s', (shell, { start, source }) => {
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-t', `=${shell}:`);
  const type = (text: string): string => tmux('send-keys', '-t', `=${shell}:`, '-l', text);
  const press = (key: string): string => tmux('send-keys', '-t', `=${shell}:`, key);

  async function shows(text: string): Promise<string> {
    for (;;) {
      const seen = screen();
      if (seen.includes(text)) return seen;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** The line that the shell ran after a Tab and Enter. */
  async function tab(line: string): Promise<string> {
    press('C-l');
    type(line);
    press('Tab');
    type(' mark');
    press('Enter');
    const seen = await shows('ran: ');
    return /ran: (.*)\./
      .exec(seen)![1]!
      .replace(/\s*mark$/, '')
      .trim();
  }

  beforeAll(async () => {
    tmux('new-session', '-d', '-s', shell, '-x', '200', '-y', '50', '-c', at('work'), start);
    type('echo be""gun');
    press('Enter');
    await shows('begun');
  });

  it('is silent when it is taught, and again when it is taught twice', async () => {
    for (const round of ['one', 'two']) {
      press('C-l');
      type(`${source}; echo "taught ro""und ${round}"`);
      press('Enter');
      const seen = await shows(`taught round ${round}`);
      expect(seen).not.toMatch(/error|not found|readonly|No such|usage/i);
    }
  });

  it.each([
    ['rouse doct', () => 'doctor'],
    ['rouse mailbox regi', () => 'mailbox register'],
    ['rouse mailbox register --mo', () => 'mailbox register --mode'],
    ['rouse mailbox register --mode sta', () => 'mailbox register --mode stash'],
    ['rouse agents list --print-f', () => 'agents list --print-fancy'],
    ['rouse config tr', () => 'config trust'],
    ['rouse stop an', () => 'stop ana'],
    ['houmao-mgr agents show --agent-name an', () => 'agents show --agent-name ana'],
    ['rouse launch clau', () => 'launch claude'],
    ['rouse launch --tool=clau', () => 'launch --tool=claude'],
    [
      'rouse mail read --address ana@test --message-ref file',
      () => `mail read --address ana@test --message-ref ${ref}`,
    ],
    ['rouse launch claude --workdir dir-o', () => 'launch claude --workdir dir-one/'],
  ])('completes %s', async (line, expected) => {
    expect((await tab(line)).replace(/\/? *$/, '')).toBe(expected().replace(/\/$/, ''));
  });
});
