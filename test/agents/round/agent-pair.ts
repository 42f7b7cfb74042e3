import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { serverFiles } from '../../../src/fleet/index.ts';
import { ROOT } from '../../support/test-world.ts';
import { AgentUnderTest } from '../support/agent-under-test.ts';
import { findInstalled } from '../support/installed-tool.ts';
import type { RealTool } from '../support/real-tools.ts';
import { doMail } from './do-mail.ts';

const START_LIMIT_MS = 120_000;

export interface PairOptions {
  toolArgs: string[];
  /** `flat`: each mailbox is a file, and `mailfile relay` carries what they send. `fleet`: a server keeps both mailboxes. */
  mail: 'filesystem' | 'flat' | 'fleet';
}

/** Two agents of one tool in one home, as a person starts them: Ana writes, Ben is woken. */
export class AgentPair {
  readonly ana: AgentUnderTest;
  readonly ben: AgentUnderTest;
  readonly #options: PairOptions;
  #server: ChildProcess | undefined;

  private constructor(tool: RealTool, options: PairOptions) {
    const installed = findInstalled(tool.tool);
    this.ana = new AgentUnderTest(tool, installed, 'ana');
    this.ben = new AgentUnderTest(tool, installed, 'ben', this.ana);
    this.#options = options;
  }

  static async open(tool: RealTool, options: PairOptions): Promise<AgentPair> {
    const pair = new AgentPair(tool, options);
    try {
      await pair.ana.open({ stock: true });
      if (options.mail === 'fleet') await pair.#startServer();
      pair.ana.model.script = doMail;
      for (const agent of pair.both) {
        await agent.launch(options.toolArgs, '--wake', ...pair.#mailboxFlags(agent.name));
        await within(
          START_LIMIT_MS,
          agent.started(),
          () => `${agent.name} did not start:\n${agent.screen()}`,
        );
      }
      return pair;
    } catch (error) {
      await pair.close();
      throw error;
    }
  }

  get both(): AgentUnderTest[] {
    return [this.ana, this.ben];
  }

  #directory(name: string): string {
    return path.join(this.ana.world.directory, 'flat', name);
  }

  async #startServer(): Promise<void> {
    const { directory, env } = this.ana.world;
    const home = path.join(directory, 'server');
    const program = path.join(ROOT, 'dist', 'rouse.cjs');
    this.#server = spawn(process.execPath, [program, 'server', 'start', '--port', '0', '--print-json'], {
      env: { ...env, HOME: home, ROUSE_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(this.#server.stdout!, 'data')) as [Buffer];
    env['ROUSE_FLEET_URL'] = (JSON.parse(String(line)) as { url: string }).url;
    env['ROUSE_FLEET_TOKEN_FILE'] = serverFiles(home).adminToken;
    for (const agent of this.both) agent.domain = 'default.fleet';
  }

  #mailboxFlags(name: string): string[] {
    if (this.#options.mail === 'fleet') return ['--mailbox-transport', 'fleet'];
    if (this.#options.mail !== 'flat') return [];
    fs.mkdirSync(this.#directory(name), { recursive: true });
    return ['--mailbox-root', path.join(this.#directory(name), '.agent', 'inbox.md')];
  }

  /** Carries mail from the outboxes, if the store does not do that itself. */
  async carry(): Promise<void> {
    const waits = ({ name }: AgentUnderTest): boolean =>
      /^status: pending$/m.test(readIfThere(path.join(this.#directory(name), '.agent', 'outbox.md')));
    if (this.#options.mail !== 'flat' || !this.both.some(waits)) return;
    const routes = this.both.flatMap(({ name }) => [
      '--route',
      `${name}@houmao.localhost=${this.#directory(name)}`,
    ]);
    const { code, stderr } = await this.ana.world.rouse(['mailfile', 'relay', ...routes]);
    if (code !== 0) throw new Error(`relay ended with ${code}: ${stderr}`);
  }

  async close(): Promise<void> {
    await this.ana.close();
    this.#server?.kill();
  }
}

function readIfThere(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

async function within(limitMs: number, done: Promise<void>, otherwise: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  done.catch(() => {});
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise())), limitMs);
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
