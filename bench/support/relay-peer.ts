import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { sleep, systemClock } from '../../src/base/index.ts';
import { memoryOf, processorOf, withDescendants } from './process-costs.ts';

/** The first version that runs without the hosted service, which is not reachable from everywhere. */
const PACKAGE = '@agent-relay/broker-linux-x64@12.4.1';
const BROKER = 'node_modules/@agent-relay/broker-linux-x64/bin/agent-relay-broker';

/** The cost of Agent Relay's broker and its workers, each with a program that does nothing; or why it could not be measured. */
export async function relayCosts(counts: number[], seconds: number): Promise<string[]> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-relay-'));
  try {
    execFileSync('npm', ['install', '--prefix', directory, '--no-save', PACKAGE], {
      stdio: 'ignore',
      timeout: 120_000,
    });
    const lines: string[] = [];
    for (const count of counts) lines.push(await measure(directory, count, seconds));
    return lines;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    return [`Agent Relay could not be run: ${reason}`];
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(directory: string, count: number, seconds: number): Promise<string> {
  const state = fs.mkdtempSync(path.join(directory, 'state-'));
  const words = ['init', '--instance-name', 'bench', '--local-only', '--state-dir', state];
  const broker = spawn(path.join(directory, BROKER), words, {
    cwd: state,
    env: { ...process.env, HOME: state, AGENT_RELAY_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    // It ends when its input is closed.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(broker, 'exit');
  try {
    const place = await connection(path.join(state, 'connection.json'));
    for (let n = 0; n < count; n++) await spawnAgent(place, `agent-${n}`);
    await sleep(systemClock, 4000);
    const pids = withWorkers(broker.pid!);
    if (pids.length <= count)
      throw new Error(`${count} agents requested, ${pids.length - 1} processes found`);
    const cpu = await processorOf(pids, seconds);
    return [
      'Agent Relay'.padEnd(22),
      String(count).padStart(6),
      (memoryOf(pids) / count).toFixed(1).padStart(12),
      (cpu / count).toFixed(3).padStart(11),
      '-'.padStart(7),
      String(pids.length).padStart(10),
    ].join(' ');
  } finally {
    broker.kill();
    // It ends its workers, but may itself stay.
    await Promise.race([ended, sleep(systemClock, 5000)]);
    broker.kill('SIGKILL');
    await ended;
  }
}

/** The broker and its workers, without the programs in them. */
function withWorkers(broker: number): number[] {
  return withDescendants([broker]).filter((pid) =>
    fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agent-relay-broker'),
  );
}

interface Place {
  url: string;
  api_key: string;
}

async function connection(file: string): Promise<Place> {
  for (let tries = 0; tries < 200; tries++) {
    if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as Place;
    await sleep(systemClock, 50);
  }
  throw new Error('the broker did not print where it listens');
}

/** A broker that is still starting asks the caller to retry. */
async function spawnAgent({ url, api_key }: Place, name: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/api/spawn`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, cli: 'cat', args: [] }),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.ok) return;
    const text = await answer.text();
    if (!/please retry/.test(text) || tries === 100) throw new Error(`the broker refused an agent: ${text}`);
    await sleep(systemClock, 200);
  }
}
