import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Ending, systemClock } from '../../src/base/index.ts';
import { REASONS, type ReasonCode, reason, STANDING } from '../../src/domain/index.ts';
import { ShownAgents } from '../../src/fleet/page/host/shown-agents.ts';
import { decideReadiness, observe, parseSnapshot, type Readiness } from '../../src/screen/index.ts';
import { roster } from '../../src/session/index.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { type CliAgent, cliAgent } from '../support/cli-agent.ts';

const moon = (phase: string) => reason('moon' as ReasonCode, phase);

/** The gate's decision on an idle screen with this reason against typing. */
function gateUnder(phase: string): Readiness {
  const lines = ['● done', '', '─'.repeat(60), '❯ ', '─'.repeat(60), '  ? for shortcuts'];
  const screen = parseSnapshot(lines.join('\n'), {
    columns: 60,
    height: lines.length,
    cursor: { x: 2, y: 3, visible: false },
    title: '✳ x',
  });
  const facts = observe({ screen, detector: detectorFor('claude'), process: { foreground: 'tool' } });
  expect(decideReadiness(facts, { stable: true })).toEqual({ ready: true });
  return decideReadiness(facts, { stable: true, owner: [moon(phase)] });
}

describe('a readiness reason that only its table knows', () => {
  const ending = new Ending();
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-moon-'));
  const socket = path.join(directory, 'tmux');
  let agent: CliAgent;
  const rows = {
    reason: {
      name: 'moon',
      words: (phase: string) => `the moon is ${phase}`,
      by: 'owner',
      typing: 'never',
      standing: 'moonlit',
    },
    standing: { state: 'needs_you', words: 'moonlit', need: 'other', todo: 'draw the curtains' },
  };

  beforeAll(async () => {
    Object.assign(REASONS, { moon: rows.reason });
    Object.assign(STANDING, { moonlit: rows.standing });
    agent = await cliAgent(ending, { socket });
    tmux('new-session', '-d', '-s', 'S-gpu', 'sleep 1000');
    ending.add(() => tmux('kill-server'));
    const on = await agent.attach();
    const gate = gateUnder('full');
    expect(gate).toEqual({ ready: false, reasons: [{ code: 'moon', value: 'full' }] });
    on.surface.show({ ready: false, reasons: gate.ready ? [] : gate.reasons });
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 600 });
    await agent.mail('one');
    await on.call('POST', '/v1/requests', {
      schema_version: 1,
      kind: 'submit_prompt',
      payload: { prompt: 'go' },
    });
    await vi.waitFor(async () => expect((await listed()).waiting_for).toContain("moon='full'"), {
      timeout: 30_000,
    });
  });
  afterAll(async () => {
    await ending.run();
    fs.rmSync(directory, { recursive: true });
    for (const [table, code] of [
      [REASONS, 'moon'],
      [STANDING, 'moonlit'],
    ] as const)
      delete (table as Record<string, unknown>)[code];
  });

  const tmux = (...args: string[]): void => {
    const { status, stderr } = spawnSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };
  const listed = async () => (await agent.json(['ls', '--json'])).agents[0];

  it('a readiness reason that only its table knows is stored with the decision and with the request that waits, and explained by why', async () => {
    const { decisions } = await agent.json(['why', '--agent-name', 'gpu']);
    expect(decisions[0]).toMatchObject({ outcome: 'busy_skip', facts: { reasons: ["moon='full'"] } });
    const { out } = await agent.rouse(['why', '--agent-name', 'gpu']);
    expect(out).toContain('Needs you: draw the curtains.');
    expect(out).toMatch(/Held back now: the moon is full/);
    const { requests } = await agent.json(['agents', 'gateway', 'requests', 'list', '--agent-name', 'gpu']);
    expect(requests[0]).toMatchObject({ state: 'accepted', waiting_reason: "moon='full'" });
  });

  it('a readiness reason that only its table knows is in the status, and in the list of agents', async () => {
    expect(await agent.json(['agents', 'gateway', 'status', '--agent-name', 'gpu'])).toMatchObject({
      standing: { state: 'needs_you', words: 'moonlit', needs_you: 'draw the curtains' },
    });
    expect(await listed()).toMatchObject({
      ...{ state: 'needs_you', reason: 'moonlit', queue_depth: 1 },
      needs: [{ kind: 'other', needs_you: 'draw the curtains' }],
    });
    expect((await agent.rouse(['ls'])).out).toContain('gpu needs you: draw the curtains: "rouse open gpu"');
  });

  it('a readiness reason that only its table knows is on the page, as a row and as what a person is needed for', async () => {
    const settings = {
      runtimeDir: path.join(agent.home, 'runtime'),
      mailboxDir: path.join(agent.home, 'mailbox'),
      registryDir: path.join(agent.home, 'registry'),
      tmuxSocket: undefined,
    };
    const { agents, known } = await roster({ settings, env: process.env, clock: systemClock });
    const [found] = agents;
    const shown = new ShownAgents();
    const activity = { wakes: [], turns: [], lastTurnEndedAtUtc: null, doing: null };
    const seen = {
      agent: found!,
      place: known.get(found!.id)!,
      activity,
      fleet: undefined,
      seenAt: undefined,
    };
    shown.look(seen, new Date(Date.now() + 60_000));
    const { row, needs } = [...shown.all.values()][0]!;
    expect(row).toMatchObject({ reason: expect.stringContaining('the moon is full'), queue_depth: 1 });
    expect(needs).toMatchObject([{ kind: 'other', why: expect.stringContaining('draw the curtains') }]);
  });
});
