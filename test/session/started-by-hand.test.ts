import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { startByHand, toolGone, toolPids } from '../support/by-hand.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let gateway: GatewayClient;
let pane: string;
let transcript: string;

beforeAll(async () => {
  world = new TestWorld();
  const { json, code, stderr } = await world.rouse([
    ...['--print-json', 'agents', 'launch', '--tool', 'scripted', '--agent-name', 'ana'],
    ...['--wake', '--gateway-background'],
  ]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  pane = `=${json['tmux_session_name']}:0`;
  const { gateway_host: host, gateway_port: port } = json['gateway'];
  gateway = new GatewayClient({ host, port });
  const shown = await world.rouse(['--print-json', 'agents', 'show', '--agent-name', 'ana']);
  transcript = shown.json['transcript_path'];
});

afterAll(async () => {
  await world.close();
});

beforeEach(() => {
  onTestFailed(() => console.error(world.tmux('capture-pane', '-p', '-t', pane)));
});

const taken = (): string[] =>
  readTranscript(transcript).flatMap((record) =>
    record.type === 'submitted' ? [JSON.stringify(record)] : [],
  );

/** Mail wakes it once, and the ledger names the proof; returns the prompt it received. */
async function wakesOnce(): Promise<string> {
  const before = taken().length;
  await world.until(async () => (await gateway.tuiState()).submit_ready);
  const sent = await world.rouse([
    ...['--print-json', 'agents', 'mail', 'send', '--agent-name', 'ana', '--to', 'ana@houmao.localhost'],
    ...['--subject', 'look', '--body-content', 'please'],
  ]);
  expect([sent.code, sent.stderr]).toEqual([0, '']);
  await world.until(() => taken().length > before);
  const { requests } = await gateway.call('requests.list', { limit: 1 });
  const { outcome, ledger } = await gateway.getRequest(requests[0]!.request_id, true);
  expect([outcome, ledger!.filter(({ stage }) => stage === 'submitted').length]).toEqual(['submitted', 1]);
  const refs = { message_refs: [String(sent.json['message']['message_ref'])] };
  await gateway.call('mail.archive', { body: refs });
  await world.until(async () => (await gateway.tuiState()).submit_ready);
  expect(taken()).toHaveLength(before + 1);
  return taken().at(-1)!;
}

/** As a person would start it, with a file that records what it receives. */
async function startAgain(name: string): Promise<void> {
  transcript = path.join(world.directory, name);
  const program = path.resolve(import.meta.dirname, '../../dist/scripted-agent.cjs');
  await startByHand(world, pane, [process.execPath, program, '--transcript', transcript]);
  await world.until(() => fs.existsSync(transcript));
}

describe('a tool that is started again by hand in its pane', () => {
  it('a tool that is started again by hand in its pane is woken with its mail tools as it was launched', async () => {
    expect(await wakesOnce()).toContain('Use your mail tools');
  });

  it('a tool that is started again by hand in its pane is woken once by each mail after it was killed, by what a process without mail tools can use', async () => {
    for (const pid of toolPids(world, pane)) process.kill(pid, 'SIGKILL');
    await world.until(() => toolGone(world, pane));
    await startAgain('first.jsonl');
    for (let mail = 0; mail < 2; mail++) expect(await wakesOnce()).not.toContain('Use your mail tools');
    await world.until(async () => {
      const { json } = await world.rouse(['agents', 'list', '--print-json']);
      return JSON.stringify(json).includes('started by hand: no mail tools');
    });
  });

  it('a tool that is started again by hand in its pane is woken with its mail tools again after a relaunch', async () => {
    const { code, stderr } = await world.rouse(['agents', 'relaunch', '--agent-name', 'ana']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const shown = await world.rouse(['--print-json', 'agents', 'show', '--agent-name', 'ana']);
    transcript = shown.json['transcript_path'];
    expect(await wakesOnce()).toContain('Use your mail tools');
  });
});
