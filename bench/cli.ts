import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const ROUNDS = 21;
const ADDRESS = ['--address', 'ana@houmao.localhost'];

/** Start-up of the command line, beside a bare node in the same environment: time on the wall, and of the processor. */
export async function run(print: (line: string) => void): Promise<void> {
  const rouse = path.join(process.env['ROUSE_ROOT']!, 'bin', 'rouse');
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-'));
  // Without extra certificates, which slow a bare node down and not us: the harder comparison.
  const { NODE_EXTRA_CA_CERTS: _certificates, TMUX: _tmux, ...rest } = process.env;
  const env = { ...rest, HOME: home, ROUSE_HOME: home, ROUSE_TMUX_SOCKET: path.join(home, 'tmux') };
  const message = path.join(home, 'message.md');
  fs.writeFileSync(message, '---\nfrom: ana\nto: ben\nre: first\n---\ntext\n');
  const send = [
    'mail',
    'send',
    ...ADDRESS,
    '--to',
    ADDRESS[1]!,
    '--subject',
    'first',
    '--body-content',
    'text',
  ];
  for (const words of [['mailbox', 'init'], ['mailbox', 'register', ...ADDRESS], send])
    spawnSync(rouse, words, { env });
  const prepend = ['--mailbox', path.join(home, 'inbox.md'), '--message-file', message];
  const cases: Record<string, [string, string[]]> = {
    'node -e 0': [process.execPath, ['-e', '0']],
    'rouse --version': [rouse, ['--version']],
    'rouse --help': [rouse, ['--help']],
    'rouse mail --help': [rouse, ['mail', '--help']],
    'rouse agents list': [rouse, ['agents', 'list']],
    'rouse agents gateway status (no gateway)': [rouse, ['agents', 'gateway', 'status', 'nobody']],
    'rouse mail list': [rouse, ['mail', 'list', ...ADDRESS]],
    'rouse mail send': [rouse, send],
    'rouse mailfile prepend': [rouse, ['mailfile', 'prepend', ...prepend]],
  };
  const found = Object.fromEntries(Object.keys(cases).map((name) => [name, [] as Spent[]]));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, [program, args]] of Object.entries(cases))
        found[name]!.push(start(program, args, env));
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
  const median = (name: string): number =>
    found[name]!.map(({ wall }) => wall).sort((a, b) => a - b)[(ROUNDS - 1) / 2]!;
  // The kernel tells it in steps of 10 ms: single runs say little, their sum does.
  const mean = (name: string): number => found[name]!.reduce((sum, { cpu }) => sum + cpu, 0) / ROUNDS;
  const bare = { wall: median('node -e 0'), cpu: mean('node -e 0') };
  print(`median of ${ROUNDS} runs, interleaved; goal: within 2x of node -e 0`);
  for (const name of Object.keys(cases)) {
    const [wall, cpu] = [median(name), mean(name)];
    print(
      `${name.padEnd(42)} ${wall.toFixed(1).padStart(7)} ms ${(wall / bare.wall).toFixed(2)}x   processor ${cpu.toFixed(1).padStart(6)} ms ${(cpu / bare.cpu).toFixed(2)}x`,
    );
  }
}

interface Spent {
  wall: number;
  cpu: number;
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
