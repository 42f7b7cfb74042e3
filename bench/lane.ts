import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { reasonTexts } from '../src/domain/index.ts';
import { type AgentSurface, openSurface } from '../src/terminal/index.ts';
import { ControlClient, fingerprint } from '../test/support/scripted-agent.ts';

/**
 * The time from the call to the prompt in the agent's own transcript: the lane and raw tmux (load-buffer, paste-buffer,
 * Enter) alternate on the same scripted agent. Then the cost of watching while the screen is still and while it scrolls.
 */
export async function run(print: (line: string) => void, args: string[] = []): Promise<void> {
  const rounds = Number(args[0] ?? 40);
  const stage = await Stage.open();
  try {
    print(`lane call → prompt in the agent's transcript, ${rounds} rounds each, interleaved (ms)`);
    print('goal: p50 within 5x of raw tmux and under 150 ms');
    for (const bytes of [200, 4096, 65_536]) await compare(stage, bytes, rounds, print);
    await watching(stage, print);
  } finally {
    await stage.close();
  }
}

async function compare(
  stage: Stage,
  bytes: number,
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  const raw: number[] = [];
  const lane: number[] = [];
  const proven: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const text = (how: string): string =>
      `${how} ${bytes} ${round} ${'lorem ipsum '.repeat(bytes / 12)}`.slice(0, bytes);
    await stage.ready();
    raw.push(await stage.timed(text('raw'), () => stage.rawTmux(text('raw'))));
    await stage.ready();
    const begun = performance.now();
    let ended = 0;
    lane.push(
      await stage.timed(text('lane'), async () => {
        await stage.byLane(text('lane'));
        ended = performance.now();
      }),
    );
    proven.push(ended - begun);
  }
  print(`${String(bytes).padStart(6)} bytes`);
  print(`   raw tmux        p50 ${ms(raw, 0.5)}  p99 ${ms(raw, 0.99)}`);
  print(`   lane            p50 ${ms(lane, 0.5)}  p99 ${ms(lane, 0.99)}  ${ratio(lane, raw)}x raw`);
  print(`   lane, proven    p50 ${ms(proven, 0.5)}  p99 ${ms(proven, 0.99)}`);
}

async function watching(stage: Stage, print: (line: string) => void): Promise<void> {
  await stage.ready();
  print('CPU of the tracker, percent of one core (this process; tmux server)');
  const idle = await stage.cpu(10_000);
  print(`   screen idle     ${idle.own.toFixed(2)} %   ${idle.server.toFixed(2)} %`);
  const { mark } = stage.control;
  await stage.surface.deliver(stage.prompt('[[words=6000]] [[delay=0ms]] [[turn=9s]] scroll'));
  const scrolling = await stage.cpu(6_000);
  print(`   screen scrolls  ${scrolling.own.toFixed(2)} %   ${scrolling.server.toFixed(2)} %`);
  await stage.control.event('turn_finished', () => true, mark);
}

class Stage {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-bench-lane-'));
  readonly socket = `rouse-bench-${randomBytes(4).toString('hex')}`;
  control!: ControlClient;
  surface!: AgentSurface;
  #count = 0;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    const program = path.join(process.env['ROUSE_ROOT']!, 'dist', 'scripted-agent.js');
    const place = (name: string): string => path.join(stage.directory, name);
    const status = place('status.json');
    const flags = [
      '--transcript',
      place('t.jsonl'),
      '--control',
      place('c.sock'),
      '--status-file',
      status,
      '--turn',
      '0',
    ];
    stage.tmux([
      'new-session',
      '-d',
      '-s',
      'bench',
      '-x',
      '120',
      '-y',
      '40',
      process.execPath,
      program,
      ...flags,
    ]);
    stage.control = await ControlClient.connect(place('c.sock'), AbortSignal.timeout(20_000));
    await stage.control.event('ready');
    stage.surface = openSurface({
      manifest: {
        tool: 'scripted',
        backend: 'local_interactive',
        tmux: { session_name: 'bench', socket: stage.socket },
        launch_plan: {
          executable: process.execPath,
          args: [program],
          metadata: { rouse: { status_path: status } },
        },
      },
      sessionRoot: stage.directory,
      laneLock: place('lane.lock'),
      timings: { stability_threshold_seconds: 0.1, completion_stability_seconds: 0.1 },
    });
    await stage.surface.start();
    return stage;
  }

  /** Resolves when the agent is ready and everything of the last turn has arrived. */
  async ready(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (!this.surface.observation().ready) await this.surface.changed.next(({ ready }) => ready);
  }

  /** The time until the agent has recorded this prompt. */
  async timed(text: string, send: () => Promise<void>): Promise<number> {
    const { sha256 } = fingerprint(text);
    const received = this.control
      .event('submitted', (event) => event['sha256'] === sha256, this.control.mark)
      .then(() => performance.now());
    const begun = performance.now();
    await send();
    return (await received) - begun;
  }

  async rawTmux(text: string): Promise<void> {
    this.tmux(['load-buffer', '-b', 'raw', '-'], text);
    this.tmux(['paste-buffer', '-p', '-d', '-b', 'raw', '-t', '=bench:']);
    this.tmux(['send-keys', '-t', '=bench:', 'Enter']);
  }

  async byLane(text: string): Promise<void> {
    const { outcome, reasons } = await this.surface.deliver(this.prompt(text));
    if (outcome !== 'submitted') throw new Error(`${outcome}: ${reasonTexts(reasons).join('; ')}`);
  }

  prompt(text: string): Parameters<AgentSurface['deliver']>[0] {
    return { requestId: `bench-${this.#count++}`, text, policy: 'ready_only', record: async () => {} };
  }

  async cpu(forMs: number): Promise<{ own: number; server: number }> {
    const server = Number(this.tmux(['display-message', '-p', '#{pid}']));
    const begun = { at: performance.now(), own: process.cpuUsage(), server: ticksOf(server) };
    await new Promise((resolve) => setTimeout(resolve, forMs));
    const passed = performance.now() - begun.at;
    const { user, system } = process.cpuUsage(begun.own);
    return { own: (user + system) / 10 / passed, server: ((ticksOf(server) - begun.server) * 1000) / passed };
  }

  tmux(args: string[], input?: string): string {
    const options = { encoding: 'utf8', ...(input === undefined ? {} : { input }) } as const;
    return execFileSync('tmux', ['-L', this.socket, '-f', '/dev/null', ...args], options);
  }

  async close(): Promise<void> {
    await this.surface?.close();
    this.control?.close();
    this.tmux(['kill-server']);
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Hundredths of a second of CPU time, as Linux counts them. */
function ticksOf(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
}

const ms = (values: number[], q: number): string => quantile(values, q).toFixed(1).padStart(7);
const ratio = (a: number[], b: number[]): string => (quantile(a, 0.5) / quantile(b, 0.5)).toFixed(2);
