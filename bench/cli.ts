import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { nodeDirectory } from '../scripts/nodes.mjs';
import { middle } from './support/median.ts';
import { SimulatedAgents } from './support/simulated-agents.ts';

const ROUNDS = 21;
const ADDRESS = ['--address', 'ana@houmao.localhost'];
const SEND = [
  ...['mail', 'send', ...ADDRESS, '--to', ADDRESS[1]!],
  ...['--subject', 'first', '--body-content', 'text'],
];

/**
 * Start-up of the command line compared with a bare node in the same environment: wall time and processor time.
 * `npm run bench -- cli 20 22 24` measures these versions of Node, one after the other.
 */
export async function run(print: (line: string) => void, majors: string[]): Promise<void> {
  const [own] = process.versions.node.split('.') as [string];
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-nodes-'));
  try {
    for (const major of majors.length > 0 ? majors : [own])
      await measure(print, nodeDirectory(major, path.join(place, major)));
  } finally {
    fs.rmSync(place, { recursive: true, force: true });
  }
}

/** One agent without a gateway, and a mailbox with one message. */
async function measure(print: (line: string) => void, bin: string): Promise<void> {
  const rouse = path.join(process.env['ROUSE_ROOT']!, 'bin', 'rouse');
  const agents = new SimulatedAgents(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-')));
  const { home, socket } = agents;
  // Without extra certificates, which slow a bare node down and not us: the harder comparison.
  const { NODE_EXTRA_CA_CERTS: _certificates, TMUX: _tmux, XDG_CACHE_HOME: _cache, ...rest } = process.env;
  const PATH = `${bin}${path.delimiter}${process.env['PATH']}`;
  const env = { ...rest, PATH, HOME: home, ROUSE_HOME: home, ROUSE_TMUX_SOCKET: socket };
  try {
    await agents.add('ana');
    for (const words of [['mailbox', 'init'], ['mailbox', 'register', ...ADDRESS], SEND])
      spawnSync(rouse, words, { env });
    const node = path.join(bin, 'node');
    const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    print(`Node ${version.trim()}: median of ${ROUNDS} runs, interleaved`);
    report(print, rounds({ 'node -e 0': [node, ['-e', '0']], ...lines(rouse, home) }, env));
  } finally {
    agents.end();
  }
}

type Cases = Record<string, [program: string, args: string[]]>;

function lines(rouse: string, home: string): Cases {
  const message = path.join(home, 'message.md');
  fs.writeFileSync(message, '---\nfrom: ana\nto: ben\nre: first\n---\ntext\n');
  const prepend = ['--mailbox', path.join(home, 'inbox.md'), '--message-file', message];
  return {
    'rouse --version': [rouse, ['--version']],
    'rouse --help': [rouse, ['--help']],
    'rouse mail --help': [rouse, ['mail', '--help']],
    'rouse ls': [rouse, ['ls']],
    'rouse status ana': [rouse, ['status', 'ana']],
    'rouse agents list': [rouse, ['agents', 'list']],
    'rouse mail list': [rouse, ['mail', 'list', ...ADDRESS]],
    'rouse mail send': [rouse, SEND],
    'rouse mailfile prepend': [rouse, ['mailfile', 'prepend', ...prepend]],
  };
}

interface Spent {
  wall: number;
  cpu: number;
}

function rounds(cases: Cases, env: NodeJS.ProcessEnv): Map<string, Spent[]> {
  const found = new Map(Object.keys(cases).map((name) => [name, [] as Spent[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, [program, args]] of Object.entries(cases))
      found.get(name)!.push(start(program, args, env));
  return found;
}

function report(print: (line: string) => void, found: Map<string, Spent[]>): void {
  let bare: Spent | undefined;
  for (const [name, spent] of found) {
    const wall = middle(spent.map((each) => each.wall));
    // The kernel reports it in steps of 10 ms, so only the sum of many runs is useful.
    const cpu = spent.reduce((sum, each) => sum + each.cpu, 0) / ROUNDS;
    bare ??= { wall, cpu };
    print(
      `${name.padEnd(24)} ${wall.toFixed(1).padStart(7)} ms ${(wall / bare.wall).toFixed(2)}x   processor ${cpu.toFixed(1).padStart(6)} ms ${(cpu / bare.cpu).toFixed(2)}x`,
    );
  }
}

function start(program: string, args: string[], env: NodeJS.ProcessEnv): Spent {
  const before = children();
  const begun = performance.now();
  spawnSync(program, args, { stdio: 'ignore', env });
  return { wall: performance.now() - begun, cpu: children() - before };
}

/** Milliseconds of the processor that ended children of this process have used. */
function children(): number {
  const fields = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
