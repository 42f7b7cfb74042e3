import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { identifyProcess, stableJson, systemClock, writeFileAtomic } from '../../src/base/index.ts';
import type { Standing } from '../../src/domain/index.ts';
import { publishRecord } from '../../src/session/records/registry.ts';
import { sampleManifest, sampleRecord, writeSession } from '../../src/session/testing.ts';
import type { GlanceFile } from '../../src/wire/index.ts';

export const IDLE: Standing = { state: 'idle', words: 'idle', needs_you: null };
export const ASKING: Standing = {
  state: 'needs_you',
  words: 'permission dialog',
  needs_you: 'it asks for permission; answer with "rouse answer a1"',
};

/** Real tmux sessions with records and mailboxes. The process that writes a glance counts as the gateway. */
export class SimulatedAgents {
  readonly home: string;
  readonly socket: string;
  readonly #roots: string[] = [];

  constructor(home: string) {
    this.home = home;
    this.socket = path.join(home, 'tmux');
  }

  tmux(...words: string[]): void {
    const { TMUX: _, ...env } = process.env;
    spawnSync('tmux', ['-S', this.socket, '-f', '/dev/null', ...words], { env });
  }

  async add(name: string): Promise<number> {
    const manifest = sampleManifest({ agentName: name, tmuxSessionName: `S-${name}` });
    const plan = manifest.launch_plan as Record<string, unknown>;
    const manifestPath = writeSession(path.join(this.home, 'runtime'), {
      ...manifest,
      tool: 'sleep',
      tmux: { ...manifest.tmux, socket: this.socket },
      launch_plan: { ...plan, tool: 'sleep', metadata: { rouse: { process_names: ['sleep'] } } },
    });
    const record = sampleRecord({ agentName: name, manifestPath }, new Date());
    const terminal = { ...record.terminal, session_name: `S-${name}`, socket: this.socket };
    const mailbox = {
      transport: 'filesystem',
      principal_id: `HOUMAO-${name}`,
      address: `${name}@test`,
      filesystem_root: path.join(this.home, 'mailbox'),
      bindings_version: '1',
    };
    await publishRecord(path.join(this.home, 'registry'), { ...record, terminal, mailbox }, systemClock);
    const pointer = `HOUMAO_MANIFEST_PATH=${manifestPath}`;
    this.tmux('new-session', '-d', '-s', `S-${name}`, '-e', pointer, 'exec sleep 3600');
    return this.#roots.push(path.dirname(manifestPath)) - 1;
  }

  /** Writes the glance as a gateway does. */
  glance(at: number, standing: Standing, openMail = 1): void {
    const glance: GlanceFile = {
      schema_version: 1,
      written_by: identifyProcess(process.pid)!,
      standing,
      since_utc: new Date().toISOString(),
      open_mail: openMail,
      wakes: { on: true, count: at, last_at_utc: null, held_back: null },
      queue_depth: 0,
    };
    const directory = path.join(this.#roots[at]!, 'gateway');
    fs.mkdirSync(directory, { recursive: true });
    const file = path.join(directory, 'glance.json');
    writeFileAtomic(file, stableJson(glance), { durable: false });
  }

  glanceFile(at: number): string {
    return path.join(this.#roots[at]!, 'gateway', 'glance.json');
  }

  end(): void {
    this.tmux('kill-server');
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}
