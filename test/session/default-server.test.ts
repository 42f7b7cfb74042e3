import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

/** The person's default tmux server, in a directory of this test: TMUX_TMPDIR moves it there. */
let world: TestWorld;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  world = new TestWorld();
  env = {
    ...{ TMUX_TMPDIR: world.directory, ROUSE_TMUX_SOCKET: '' },
    ...{ PERSONS_OWN: 'all of it', ROUSE_FLEET_TOKEN_FILE: '/of/the/person', CLAUDECODE: '1' },
    HOUMAO_MANIFEST_PATH: '/of/another/manifest.json',
  };
  const flags = ['--tool', 'scripted', '--agent-name', 'gpu', '--no-mailbox'];
  const said = await world.rouse(['--print-json', 'agents', 'launch', ...flags], env);
  expect([said.code, said.stderr]).toEqual([0, '']);
});
afterAll(async () => {
  tmux('kill-server');
  await world.close();
});

/** A plain `tmux`, as the person types it later in a shell without those variables. */
function tmux(...args: string[]): string {
  const { PATH, HOME, SHELL } = world.env;
  const plain = { PATH, HOME, SHELL, TMUX_TMPDIR: world.directory };
  return spawnSync('tmux', args, { encoding: 'utf8', env: plain }).stdout.trimEnd();
}

describe('the default tmux server, when Rouse is the first to need it', () => {
  it('the default tmux server starts with the whole environment of the caller, as tmux itself would start it', async () => {
    expect(tmux('show-environment', '-g')).toContain('PERSONS_OWN=all of it');
    const file = `${world.directory}/later`;
    tmux('new-session', '-d', '-s', 'later', `env > ${file}; exec cat`);
    await world.until(
      () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes('PERSONS_OWN=all of it'),
    );
  });

  it('the default tmux server knows nothing of other agents, and gives its tool nothing that is a person’s or another’s', () => {
    expect(tmux('show-environment', '-g')).not.toContain('HOUMAO_MANIFEST_PATH');
    const { pid } = world.processes().find(({ words }) => /scripted-agent/.test(words))!;
    const tool = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(tool).toContain('PERSONS_OWN=all of it');
    expect(tool).not.toMatch(/ROUSE_FLEET_TOKEN_FILE|another/);
  });

  it('the default tmux server is found again by callers whose default is another one', async () => {
    const show = ['--print-json', 'agents', 'show', '--agent-name', 'gpu'];
    const said = await world.rouse(show, { ROUSE_TMUX_SOCKET: '' });
    expect(said.json['session']).toBe('running');
    const stopped = await world.rouse(['--print-json', 'agents', 'stop', '--agent-name', 'gpu'], {
      ROUSE_TMUX_SOCKET: '',
    });
    expect(stopped.json['session']).toBe('ended');
    expect(tmux('list-sessions', '-F', '#{session_name}')).toBe('later');
  });
});
