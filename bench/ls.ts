import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ASKING, IDLE, SimulatedAgents } from './support/simulated-agents.ts';

const AGENTS = 50;
const ROUNDS = 21;

/** `rouse ls` for many agents, compared with its minimum: `tmux ls` on the same server, and the start of Node. */
export async function run(print: (line: string) => void): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-ls-'));
  const agents = new SimulatedAgents(home);
  const { socket } = agents;
  const { NODE_EXTRA_CA_CERTS: _certificates, TMUX: _tmux, ...rest } = process.env;
  const env = { ...rest, HOME: home, ROUSE_HOME: home, ROUSE_TMUX_SOCKET: socket };
  try {
    for (let n = 0; n < AGENTS; n++) await agent(agents, n);
    const rouse = path.join(process.env['ROUSE_ROOT']!, 'bin', 'rouse');
    const seen = spawnSync(rouse, ['ls', '--json'], { env, encoding: 'utf8' });
    const { agents: shown } = JSON.parse(seen.stdout) as { agents: { state: string }[] };
    const count = (state: string): number => shown.filter((each) => each.state === state).length;
    const states = [...new Set(shown.map(({ state }) => state))].map((state) => `${count(state)} ${state}`);
    print(`${shown.length} agents: ${states.join(', ')}`);
    measure(
      print,
      {
        'node -e 0': [process.execPath, ['-e', '0']],
        'tmux ls': ['tmux', ['-S', socket, 'ls']],
        'rouse ls': [rouse, ['ls']],
        'rouse ls --json': [rouse, ['ls', '--json']],
      },
      env,
    );
  } finally {
    agents.end();
  }
}

/** Adds an agent; this process is the gateway of every second one. */
async function agent(agents: SimulatedAgents, n: number): Promise<void> {
  const name = `agent-${n}`;
  const inbox = path.join(agents.home, 'mailbox', 'mailboxes', `${name}@test`, 'inbox');
  fs.mkdirSync(inbox, { recursive: true });
  for (let mail = 0; mail < n % 5; mail++) fs.writeFileSync(path.join(inbox, `msg-${mail}.md`), '');
  const at = await agents.add(name);
  if (n % 2 === 0) agents.glance(at, n % 4 === 0 ? IDLE : ASKING);
}

type Cases = Record<string, [program: string, args: string[]]>;

function measure(print: (line: string) => void, cases: Cases, env: NodeJS.ProcessEnv): void {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, [program, args]] of Object.entries(cases)) {
      const start = performance.now();
      spawnSync(program, args, { stdio: 'ignore', env });
      (times[name] ??= []).push(performance.now() - start);
    }
  }
  const median = (name: string): number => times[name]!.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]!;
  const both = median('node -e 0') + median('tmux ls');
  print(`median of ${ROUNDS} runs, interleaved; goal: rouse ls within 2x of node -e 0 and tmux ls together`);
  for (const name of Object.keys(cases))
    print(
      `${name.padEnd(18)} ${median(name).toFixed(1).padStart(7)} ms   ${(median(name) / both).toFixed(2)}x`,
    );
}
