import * as fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionManifest } from '../../src/wire/index.ts';
import { SessionHouse } from './support/house.ts';

let house: SessionHouse;
beforeAll(() => {
  house = new SessionHouse();
});
afterAll(() => {
  house.close();
});

const json = (...args: string[]) => house.rouse(['--print-json', ...args]);
const manifestOf = (said: { json: Record<string, string> }) =>
  sessionManifest.parse(JSON.parse(fs.readFileSync(said.json['manifest_path']!, 'utf8')));

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
  expect(house.windows(said.json['tmux_session_name'])).toEqual(['0 agent']);
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
