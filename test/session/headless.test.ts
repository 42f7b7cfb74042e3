import * as fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readManifestFacts } from '../../src/session/index.ts';
import { sessionManifest } from '../../src/wire/index.ts';
import { modeFlag } from '../support/gateway-mode.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.close();
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
const manifestOf = (said: { json: Record<string, string> }) =>
  sessionManifest.parse(readManifestFacts(said.json['manifest_path']!).document);

it('a headless agent has a surface in window 0, no tool in it, and how to run a turn in its manifest', async () => {
  const role = ['--role-prompt', 'be brief'];
  const said = await json(
    'agents',
    'launch',
    '--tool',
    'scripted',
    '--agent-name',
    'h',
    '--headless',
    '--no-mailbox',
    ...role,
  );
  expect([said.code, said.json['backend'], said.json['tool_pid']]).toEqual([0, 'generic_headless', null]);
  expect(world.windows(said.json['tmux_session_name'])).toEqual(['0 agent']);
  const manifest = manifestOf(said);
  expect(manifest.headless).toMatchObject({ turn_index: 0, session_id: null, resume_selection_kind: 'none' });
  const { headless } = manifest.launch_plan.metadata['rouse'] as { headless: Record<string, unknown> };
  expect(headless).toMatchObject({
    prompt: 'stdin',
    role_prompt: 'be brief',
    role_args: ['--append-system-prompt', 'be brief'],
  });
  expect((await json('agents', 'relaunch', '--agent-name', 'h')).code).toBe(0);
  expect((await json('agents', 'stop', '--agent-name', 'h')).code).toBe(0);
});

it('any command can be a headless agent, with words for resuming', async () => {
  const words = ['--resume-arg=--session', '--resume-arg={session}', '--continue-arg=--last'];
  const said = await json(
    'agents',
    'launch',
    '--tool',
    'command',
    '--agent-name',
    'c',
    '--headless',
    '--no-mailbox',
    ...words,
    '--',
    'cat',
    '-u',
  );
  expect(said.code).toBe(0);
  const { headless } = manifestOf(said).launch_plan.metadata['rouse'] as {
    headless: Record<string, unknown>;
  };
  expect(headless).toMatchObject({
    exact: ['{args}', '{model}', '--session', '{session}'],
    last: ['{args}', '{model}', '--last'],
  });
  expect((await json('agents', 'stop', '--agent-name', 'c')).code).toBe(0);
});

it('a headless agent without a gateway takes prompts and interrupts, but no keys, and its gateway goes on from there', async () => {
  const said = await json(
    ...['agents', 'launch', '--tool', 'scripted', '--agent-name', 'hed', '--headless', '--no-mailbox'],
    ...['--', '--turn', '0'],
  );
  expect(said.code).toBe(0);
  const on = ['--agent-name', 'hed'];
  const prompt = (text: string, ...more: string[]) =>
    json('agents', 'prompt', ...on, '--prompt', text, ...more);
  const turn = (id: string) => `${said.json['session_root']}/manifest.turn-artifacts/${id}`;

  const first = await prompt('hello');
  expect([first.code, first.json]).toMatchObject([0, { status: 'ok', by: 'direct', outcome: 'submitted' }]);
  const { headless } = manifestOf(said);
  expect(headless).toMatchObject({ turn_index: 1, session_id: expect.any(String) });

  const keys = await json('agents', 'send-keys', ...on, '--sequence', 'x');
  expect([keys.code, keys.json['error'].message]).toEqual([6, expect.stringContaining('no screen')]);
  expect((await json('agents', 'interrupt', ...on)).json).toMatchObject({ outcome: 'refused' });

  const long = prompt('[[turn=600s]]');
  await world.until(() => fs.existsSync(`${turn('turn-0002')}/process.json`));
  await world.until(() => fs.readFileSync(`${turn('turn-0002')}/stdout.jsonl`, 'utf8') !== '');
  const second = await prompt('me too');
  expect([second.code, second.json]).toMatchObject([
    5,
    { sent: false, reasons: [`active_turn_id='turn-0002'`] },
  ]);
  const attached = await json('agents', 'gateway', 'attach', ...on, modeFlag('detached_process'));
  expect([attached.code, attached.json['gateway_health']]).toEqual([0, 'healthy']);
  const submit = () => json('agents', 'gateway', 'requests', 'submit', ...on, '--prompt', 'queued', '--wait');
  expect((await submit()).code).toBe(5);
  expect((await json('agents', 'interrupt', ...on)).code).toBe(0);
  const ended = await long;
  expect(ended.json).toMatchObject({
    sent: true,
    outcome: 'cancelled',
    reasons: ['the turn was interrupted'],
  });
  await world.until(async () => (await submit()).code === 0);
  expect(fs.readFileSync(`${turn('turn-0003')}/prompt.txt`, 'utf8')).toContain('queued');
  expect(manifestOf(said).headless?.session_id).toBe(headless?.session_id);

  expect((await json('agents', 'gateway', 'detach', ...on)).code).toBe(0);
  expect((await prompt('and again', '--model', 'm2')).code).toBe(0);
  expect(manifestOf(said).headless).toMatchObject({ turn_index: 3, session_id: headless?.session_id });
  expect((await json('agents', 'stop', ...on)).code).toBe(0);
});
