import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.close();
});

// biome-ignore lint/suspicious/noExplicitAny: output of every shape
type Answer = any;

const rouse = (...args: string[]) => world.rouse(args);
async function agent(name: string): Promise<Answer> {
  const { json } = await rouse('ls', '--json');
  return json['agents'].find((each: { name: string }) => each.name === name);
}

describe('rouse ls', () => {
  it('rouse ls says that there are no agents, and what to do', async () => {
    expect((await rouse('ls')).stdout).toMatch(/^no agents; "rouse launch claude ana"/);
    expect((await rouse('ls', '--json')).json['agents']).toEqual([]);
  });

  it('rouse ls shows a watched agent as its gateway sees it, and one without a gateway as not watched', async () => {
    expect((await rouse('launch', 'scripted', 'ana', '--wake')).code).toBe(0);
    expect((await rouse('launch', 'scripted', 'ben')).code).toBe(0);
    await world.until(async () => ((await agent('ana')).state === 'idle' ? true : undefined));
    expect(await agent('ana')).toMatchObject({
      ...{ tool: 'scripted', reason: 'idle', needs_you: null, open_mail: 0, gateway: 'live' },
      ...{ wakes: { on: true, count: 0 }, waiting_for: null, origin: 'launched' },
    });
    expect(await agent('ben')).toMatchObject({
      ...{
        state: 'not_watched',
        reason: 'running, no gateway: will not be woken',
        gateway: 'not_attached',
        wakes: null,
      },
    });
    const { stdout } = await rouse('ls');
    expect(stdout).toMatch(/^ana +scripted +idle +0 +0 +work +~\/work$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('rouse ls counts the open mail of both', async () => {
    for (const name of ['ana', 'ben'])
      expect((await rouse('send', name, 'look', '--body', 'please')).code).toBe(0);
    expect((await agent('ben')).open_mail).toBe(1);
    await world.until(async () => ((await agent('ana')).wakes.count === 1 ? true : undefined));
    expect((await agent('ana')).open_mail).toBe(1);
  });

  it('rouse ls does not believe the file of a gateway that was killed', async () => {
    const { json } = await rouse('agents', 'show', 'ana', '--json');
    const keeper = JSON.parse(
      fs.readFileSync(path.join(json['paths'].gateway_root, 'run', 'keeper.json'), 'utf8'),
    );
    process.kill(keeper.pid, 'SIGKILL');
    process.kill(json['gateway'].pid, 'SIGKILL');
    await world.until(async () => ((await agent('ana')).gateway === 'lost' ? true : undefined));
    expect(await agent('ana')).toMatchObject({ state: 'needs_you', wakes: null });
  });

  it('rouse ls says of a tool that has ended, or a session that is gone, what to do', async () => {
    const { json } = await rouse('agents', 'show', 'ben', '--json');
    process.kill(json['process'].tool_pid, 'SIGKILL');
    await world.until(async () => ((await agent('ben')).state === 'gone' ? true : undefined));
    expect(await agent('ben')).toMatchObject({ needs_you: expect.stringMatching(/relaunch/) });
    spawnSync('tmux', ['-S', world.socket, 'kill-session', '-t', `=${json['tmux'].session_name}`]);
    expect(await agent('ben')).toMatchObject({ state: 'gone', reason: 'session gone' });
  });
});
