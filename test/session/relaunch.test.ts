import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeEach(() => {
  world = new TestWorld();
});
afterEach(() => world.close());

const json = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  world.rouse(['--print-json', ...args], env);
const gateway = (...words: string[]): Promise<Ran> =>
  json(['agents', 'gateway', ...words, '--agent-name', 'ana']);
const notifier = async () => (await gateway('mail-notifier', 'status')).json;

/** Starts of the scripted agent, in order. */
function starts(root: string): { session_id: string }[] {
  const lines = fs.readFileSync(path.join(root, 'transcript.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'started');
}

async function launchAna(...more: string[]): Promise<string> {
  const launched = await json(['launch', 'scripted', 'ana', ...more]);
  expect(launched.code, launched.stderr).toBe(0);
  return launched.json['session_root'];
}

async function killServer(): Promise<void> {
  world.tmux('kill-server');
  await world.until(() => world.processes().every(({ words }) => !words.includes('scripted')));
}

describe('an agent launched with --wake whose tmux server was killed', () => {
  it('an agent launched with --wake whose tmux server was killed is back with gateway, mode, wakes and conversation after the command that ls prints', async () => {
    const root = await launchAna('--wake', '--gateway-background');
    await gateway('mail-notifier', 'enable', '--interval-seconds', '77', '--wakes-per-hour', '5');
    const before = await notifier();
    expect(before).toMatchObject({ repeat: 'backoff', wakes_per_hour: 5, interval_seconds: 77 });
    // Its screen may still be changing, which the command waits for.
    const prompted = await json(['agents', 'prompt', '--agent-name', 'ana', '--prompt', 'hello']);
    expect([prompted.code, prompted.stderr]).toEqual([0, expect.any(String)]);
    await world.until(() => fs.existsSync(path.join(root, 'launch/conversation.json')));
    await killServer();

    const [agent] = (await json(['ls'])).json['agents'];
    const [, command] = /"rouse (agents relaunch[^"]*)"/.exec(agent.needs_you)!;
    const back = await json(command!.split(' '));
    expect([back.code, back.json]).toMatchObject([
      0,
      {
        revived: true,
        resumed: true,
        gateway: { gateway_health: 'healthy', execution_mode: 'detached_process' },
        wakes: { enabled: true, interval_seconds: 77, repeat: 'backoff', wakes_per_hour: 5 },
      },
    ]);
    expect(await notifier()).toMatchObject({ interval_seconds: 77, repeat: 'backoff', wakes_per_hour: 5 });
    const [first, second] = starts(root);
    expect(second!.session_id).toBe(first!.session_id);
  });

  it('an agent launched with --wake whose tmux server was killed stays without a gateway that a person had detached', async () => {
    await launchAna('--wake');
    await gateway('detach');
    await killServer();
    const back = await json(['agents', 'relaunch', 'ana']);
    expect([back.code, back.json]).toMatchObject([0, { revived: true, gateway: null }]);
  });

  it('an agent launched with --wake whose tmux server was killed gets none when it never had one', async () => {
    await launchAna();
    const back = await json(['agents', 'relaunch', 'ana']);
    expect([back.code, back.json]).toMatchObject([0, { revived: false, gateway: null }]);
  });
});

describe('a tool that PATH leads to', () => {
  function install(name: string, version: string): string {
    const directory = path.join(world.directory, name);
    fs.mkdirSync(directory);
    const script = `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit; }\nwhile :; do sleep 1000; done\n`;
    fs.writeFileSync(path.join(directory, 'claude'), script, { mode: 0o755 });
    return `${directory}:${world.env['PATH']}`;
  }

  it('a tool that PATH leads to is looked for again at a relaunch, and a version that is not known is said at once', async () => {
    const [older, newer] = [install('older', '2.0.50'), install('newer', '2.1.325')];
    const launched = await world.rouse(['launch', 'claude', 'ana', '--no-install-houmao-skills'], {
      PATH: older,
    });
    expect(launched.stderr).toMatch(
      /^warning: version 2\.0\.50 of claude is not known \(2\.1\.0 up to [\d.]+ is\)/m,
    );
    const again = await json(['agents', 'relaunch', 'ana'], { PATH: older });
    expect(again.json['notes']).toEqual([expect.stringMatching(/^version 2\.0\.50 of claude is not known/)]);
    const back = await json(['agents', 'relaunch', 'ana'], { PATH: newer });
    expect([back.code, back.json['notes']]).toEqual([0, []]);
    const shown = (await json(['agents', 'show', '--agent-name', 'ana'])).json;
    const manifest = JSON.parse(fs.readFileSync(shown['paths'].manifest, 'utf8'));
    expect(manifest).toMatchObject({
      launch_plan: { executable: path.join(world.directory, 'newer', 'claude') },
      launch_policy_provenance: { detected_tool_version: '2.1.325' },
    });
  });
});
