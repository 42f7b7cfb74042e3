import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect } from 'vitest';
import { readTranscript } from '../support/scripted-agent.ts';
import { type Ran, TestWorld } from '../support/test-world.ts';

const HOUR_MS = 3_600_000;
const hourFromNow = (hours: number): string =>
  `${new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 13)}:00`;

// biome-ignore lint/suspicious/noExplicitAny: output of every shape
type Printed = any;

/** The agent ana with a gateway, her own wake settings and a conversation, in a world where things die. */
export class DyingAgent {
  readonly world: TestWorld;
  readonly #launchFlags: readonly string[];
  readonly #quietHours = `${hourFromNow(6)}-${hourFromNow(7)}`;
  #root = '';
  #before: Printed;

  constructor({ env = {}, flags = [] }: { env?: NodeJS.ProcessEnv; flags?: readonly string[] }) {
    this.world = new TestWorld();
    Object.assign(this.world.env, env);
    this.#launchFlags = flags;
    fs.writeFileSync(path.join(this.world.workdir, '.rouse.toml'), '[team.ana]\ntool = "scripted"\n');
  }

  /** Runs a command line as it is printed for people, whatever its result. */
  rouse(line: string): Promise<Ran> {
    return this.world.rouse(line.split(' ').slice(1));
  }

  async json(line: string): Promise<Printed> {
    return (await this.rouse(`${line} --json`)).json;
  }

  async shown(): Promise<Printed> {
    return (await this.json('rouse ls'))['agents'][0];
  }

  /** Launches her if she is not there. */
  async live(): Promise<void> {
    if (await this.shown()) return;
    await this.done('rouse config trust');
    await this.done(['rouse launch scripted ana --wake', ...this.#launchFlags].join(' '));
    this.#root = (await this.json('rouse agents show ana'))['paths'].session_root;
    await this.done(
      `rouse agents gateway mail-notifier enable ana --interval-seconds 77 --wakes-per-hour 500 --quiet-hours ${this.#quietHours} --time-zone UTC`,
    );
    // Refused while her screen still changes; then nothing was typed.
    await this.world.until(
      async () => (await this.rouse('rouse agents prompt ana --prompt hello')).code === 0,
    );
    await this.world.until(() => fs.existsSync(path.join(this.#root, 'launch/conversation.json')));
    await this.rests();
    this.#before = await this.#settings();
    expect(this.#before).toMatchObject({ enabled: true, interval_seconds: 77, repeat: 'backoff' });
  }

  async done(line: string): Promise<void> {
    const { code, stderr, stdout } = await this.rouse(line);
    expect([line, code, code === 0 ? '' : stderr + stdout]).toEqual([line, 0, '']);
  }

  /** Waits until she is idle and needs no person. */
  async rests(): Promise<void> {
    await this.world.until(async () => {
      const { state, gateway, needs_you } = (await this.shown()) ?? {};
      return state === 'idle' && gateway === 'live' && needs_you === null;
    });
  }

  /** Checks her gateway, its mode, her wakes, her mail tools and her conversation; and that mail wakes her. */
  async isAsBefore(): Promise<void> {
    await this.rests();
    expect(await this.#settings()).toEqual(this.#before);
    expect(new Set(this.#records('started').map(({ session_id }) => session_id)).size).toBe(1);
    const woken = this.#records('submitted').length;
    await this.done('rouse send ana proof --body please');
    await this.world.until(() => this.#records('submitted').length > woken);
    await this.rests();
  }

  /** Checks that nothing of her is left. */
  async isForgotten(): Promise<void> {
    expect(await this.shown()).toBeUndefined();
    await this.world.until(() => this.world.processes().every(({ words }) => !words.includes('scripted')));
  }

  #records(type: string): Printed[] {
    return readTranscript(path.join(this.#root, 'transcript.jsonl')).filter((each) => each.type === type);
  }

  async #settings(): Promise<Printed> {
    const wakes = await this.json('rouse agents gateway mail-notifier status ana');
    const { enabled, interval_seconds, mode, repeat, quiet_hours, wakes_per_hour } = wakes;
    const { mcp, gateway } = await this.json('rouse agents show ana');
    const { execution_mode } = gateway;
    const mail_tools = mcp.door;
    return {
      enabled,
      interval_seconds,
      mode,
      repeat,
      quiet_hours,
      wakes_per_hour,
      execution_mode,
      mail_tools,
    };
  }

  get toolPid(): number {
    return this.#read(path.join(this.#root, 'manifest.json')).runtime.agent_pid;
  }

  get gatewayPid(): number {
    return this.#read(path.join(this.#root, 'gateway/run/current-instance.json')).pid;
  }

  get hostPid(): number {
    return this.#read(path.join(this.#host, 'current-host.json')).pid;
  }

  get hostKeeperPid(): number {
    return this.#read(path.join(this.#host, 'keeper.json')).pid;
  }

  get tmuxSession(): string {
    return this.#read(path.join(this.#root, 'manifest.json')).tmux_session_name;
  }

  get #host(): string {
    const hosts = path.join(this.world.env['ROUSE_HOME']!, 'runtime', 'hosts');
    return path.join(hosts, fs.readdirSync(hosts)[0]!);
  }

  #read(file: string): Printed {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  }

  async close(): Promise<void> {
    await this.world.close();
  }
}
