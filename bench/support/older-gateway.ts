import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as readline from 'node:readline';
import type { Ending } from '../../src/base/index.ts';
import { olderTree } from './older-tree.ts';

export interface OlderGateway {
  /** Resident, in MB. */
  megabytes: number;
  /** Hundredths of a core. */
  cpu: number;
}

/** The cost of an idle gateway of an older commit, from that commit's own `bench -- idle`. */
export function olderGateway(ref: string, count: number, seconds: number): OlderGateway {
  const { directory, env, remove } = olderTree(ref);
  try {
    const output = execFileSync('npm', ['run', 'bench', '--', 'idle', String(count), String(seconds)], {
      cwd: directory,
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const row = /^ *\d+ +(\d+) MB +[\d.]+ +([\d.]+) /m.exec(output);
    if (!row) throw new Error(`the benchmark of ${ref} printed no gateway:\n${output}`);
    return { megabytes: Number(row[1]), cpu: Number(row[2]) };
  } finally {
    remove();
  }
}

/** Started by the older commit's own test code. Until it is asked to end, it accepts and types nothing. */
const served = (fixture: string, file: string, launch: string): string => `
import { ${fixture} } from '../test/support/${file}.ts';

export async function run(print) {
  const world = new ${fixture}();
  world.gatewayEnv = JSON.parse(process.env['SERVED_ENV']);
  try {
    const agent = await world.${launch}('ana');
    await agent.control.send('open-dialog');
    print(JSON.stringify({ port: Number(new URL(agent.base).port), pid: agent.pid }));
    for await (const _ of process.stdin);
  } finally {
    await world.close();
  }
}
`;

/** Starts a gateway of an older commit that accepts requests. */
export async function startOlderGateway(
  ref: string,
  gatewayEnv: Readonly<Record<string, string>>,
  ending: Ending,
): Promise<{ port: number; pid: number }> {
  const { directory, env, remove } = olderTree(ref);
  ending.add(remove);
  const program = fs.existsSync(path.join(directory, 'test/support/test-world.ts'))
    ? served('TestWorld', 'test-world', 'agent')
    : served('AgentHouse', 'agent-house', 'launch');
  fs.writeFileSync(path.join(directory, 'bench', 'served.ts'), program);
  const child = spawn(process.execPath, ['scripts/bench.mjs', 'served'], {
    cwd: directory,
    env: { ...env, SERVED_ENV: JSON.stringify(gatewayEnv) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  ending.add(async () => {
    child.stdin.end();
    await ended;
  });
  for await (const line of readline.createInterface({ input: child.stdout }))
    if (line.startsWith('{')) return JSON.parse(line) as { port: number; pid: number };
  throw new Error(`no gateway of ${ref} started`);
}
