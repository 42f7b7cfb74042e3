import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { HeadlessManifest } from '../../src/terminal/headless/index.ts';
import { bundle } from '../support/bundle.ts';
import { readTranscript, type TranscriptRecord } from '../support/scripted-agent.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The scripted agent in one file, a private tmux server, and sessions in it. */
export class HeadlessWorld {
  readonly directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-headless-')));
  readonly agent = path.join(this.directory, 'agent.mjs');
  readonly socket = path.join(this.directory, 'tmux.sock');
  #built: string[] = [];
  #number = 0;

  static async open(): Promise<HeadlessWorld> {
    const world = new HeadlessWorld();
    await bundle(path.join(root, 'test/support/scripted-program.ts'), world.agent);
    return world;
  }

  /** Another program of these tests, built where it finds the project's dependencies. */
  async program(source: string): Promise<string> {
    const built = fs.mkdtempSync(path.join(root, 'node_modules', '.headless-'));
    this.#built.push(built);
    const file = path.join(built, 'program.mjs');
    await bundle(source, file, { packages: 'external' });
    return file;
  }

  tmux(...args: string[]): string {
    const done = spawnSync('tmux', ['-S', this.socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`tmux ${args[0]}: ${done.stderr}`);
    return done.stdout;
  }

  /** A session with its own agent: directory, tmux session, transcript. */
  session(change: SessionChange = {}): HeadlessSession {
    return new HeadlessSession(this, ++this.#number, change);
  }

  close(): void {
    spawnSync('tmux', ['-S', this.socket, 'kill-server']);
    for (const built of this.#built) fs.rmSync(built, { recursive: true, force: true });
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

export interface SessionChange {
  /** Further arguments of the agent. */
  args?: string[];
  rolePrompt?: string;
  /** A tool other than the scripted agent. */
  tool?: string;
  executable?: string;
  headless?: HeadlessManifest['headless'];
  /** The shape, as launch records it. */
  shape?: Record<string, unknown>;
}

export class HeadlessSession {
  readonly name: string;
  readonly root: string;
  readonly laneLock: string;
  readonly transcriptPath: string;
  readonly manifest: HeadlessManifest;

  constructor(world: HeadlessWorld, number: number, change: SessionChange) {
    this.name = `headless-${number}-${randomBytes(3).toString('hex')}`;
    this.root = path.join(world.directory, this.name);
    this.laneLock = path.join(this.root, 'lane.lock');
    this.transcriptPath = path.join(this.root, 'transcript.jsonl');
    const workdir = path.join(this.root, 'work');
    fs.mkdirSync(workdir, { recursive: true });
    world.tmux('new-session', '-d', '-s', this.name, '-x', '80', '-y', '24', 'sleep 100000');
    const own = ['--transcript', this.transcriptPath, '--session-dir', path.join(this.root, 'chats')];
    this.manifest = {
      tool: change.tool ?? 'scripted',
      backend: 'generic_headless',
      working_directory: workdir,
      agent_name: 'ada',
      agent_id: 'id-of-ada',
      tmux_session_name: this.name,
      tmux: { session_name: this.name, socket: world.socket },
      runtime: { session_id: `generic_headless-${number}` },
      registry_generation_id: 'generation-1',
      headless: change.headless ?? { turn_index: 0, role_bootstrap_applied: false },
      launch_plan: {
        executable: change.executable ?? process.execPath,
        args: change.executable
          ? (change.args ?? [])
          : [world.agent, ...own, '--turn', '0', ...(change.args ?? [])],
        metadata: { rouse: { headless: { ...change.shape, role_prompt: change.rolePrompt ?? null } } },
      },
    };
  }

  get artefacts(): string {
    return path.join(this.root, 'manifest.turn-artifacts');
  }

  read(turn: string, file: string): string {
    return fs.readFileSync(path.join(this.artefacts, turn, file), 'utf8');
  }

  /** The prompts that the agent recorded. */
  records(...types: string[]): TranscriptRecord[] {
    if (!fs.existsSync(this.transcriptPath)) return [];
    return readTranscript(this.transcriptPath).filter(
      ({ type }) => types.length === 0 || types.includes(type),
    );
  }
}
