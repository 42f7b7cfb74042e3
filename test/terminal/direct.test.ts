import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ManifestFacts } from '../../src/session/index.ts';
import { readTranscript, type TranscriptRecord } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
afterEach(() => world.close());

async function launched(): Promise<ManifestFacts> {
  world = new TestWorld();
  return world.launch('gpu', { args: ['--turn', '50ms'] });
}

function received(facts: ManifestFacts, type: string): TranscriptRecord[] {
  return readTranscript(path.join(facts.root, 'transcript.jsonl')).filter((each) => each.type === type);
}

describe('without a gateway', () => {
  it('a prompt is typed from here and proven', async () => {
    const facts = await launched();
    const ran = await world.rouse([
      'agents',
      'prompt',
      '--agent-name',
      'gpu',
      '--prompt',
      'hello',
      '--print-json',
    ]);
    expect(ran.json).toMatchObject({
      status: 'ok',
      action: 'submit_prompt',
      by: 'direct',
      outcome: 'submitted',
    });
    expect(received(facts, 'submitted')).toMatchObject([{ text: 'hello' }]);
  });

  it('the first prompt is typed although copy mode was left behind', async () => {
    const facts = await launched();
    world.tmux('copy-mode', '-t', `=${facts.tmuxSessionName}:0`);
    const ran = await world.rouse(['agents', 'prompt', '--agent-name', 'gpu', '--prompt', 'hello']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(received(facts, 'submitted')).toMatchObject([{ text: 'hello' }]);
  });

  it('a prompt for an agent that is not ready is refused with the reasons and exit code 5', async () => {
    const facts = await launched();
    await world.rouse(['agents', 'send-keys', '--agent-name', 'gpu', '--sequence', 'a draft']);
    const words = ['agents', 'prompt', '--agent-name', 'gpu', '--prompt', 'hello', '--force'];
    const ran = await world.rouse(['--print-json', ...words]);
    expect(ran.code).toBe(5);
    expect(JSON.parse(ran.stderr)).toMatchObject({ outcome: 'not_ready', untouched: true, sent: false });
    const plain = await world.rouse(words);
    expect(plain.code).toBe(5);
    expect(plain.stderr).toMatch(/^error: the prompt was not submitted: its composer holds a draft/);
    const both = await world.rouse([...words, '--admission-policy', 'ready-only']);
    expect(both.code).toBe(2);
    expect(both.stderr).toMatch(/--force and --admission-policy exclude each other/);
    expect(received(facts, 'submitted')).toEqual([]);
  });

  it('keys and interrupts go through the same lane', async () => {
    const facts = await launched();
    const rouse = (...args: string[]) => world.rouse(['agents', ...args, '--agent-name', 'gpu']);
    expect(await rouse('send-keys', '--sequence', '[[turn=600s]] work<[Enter]>')).toMatchObject({ code: 0 });
    expect(await rouse('interrupt')).toMatchObject({ code: 0 });
    expect(received(facts, 'interrupted')).toHaveLength(1);
    expect(await rouse('send-keys', '--sequence', '<[enter]>')).toMatchObject({ code: 2 });
  });
});
