import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { sleep, systemClock } from '../src/base/index.ts';
import { TestWorld } from '../test/support/test-world.ts';

/**
 * The cost of idle gateways: memory, processor time, writes and children, compared with a bare node process.
 * `npm run bench -- idle [counts] [seconds]`, by default `1,10` and 20 seconds; the full size is `1,10,50 60`.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const counts = (args[0] ?? '1,10').split(',').map(Number);
  const seconds = Number(args[1] ?? 20);
  const bare = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(bare, 'spawn');
  await sleep(systemClock, 500);
  const bareMemory = memoryOf(bare.pid!);
  bare.kill();
  print(`bare node process: ${bareMemory} MB resident`);
  print('gateways  resident each  x bare  cpu each (% of a core)  file writes  children');
  for (const count of counts) {
    const world = new TestWorld();
    try {
      const gateways = await world.agents(count);
      await sleep(systemClock, 3000);
      const before = gateways.map((gateway) => ({
        ticks: ticksOf(gateway.pid),
        written: newestIn(gateway.root),
      }));
      await sleep(systemClock, seconds * 1000);
      const cpu = gateways.map((gateway, i) => (ticksOf(gateway.pid) - before[i]!.ticks) / seconds);
      const written = gateways.filter((gateway, i) => newestIn(gateway.root) !== before[i]!.written).length;
      const memory = mean(gateways.map((gateway) => memoryOf(gateway.pid)));
      const children = gateways.map((gateway) => childrenOf(gateway.pid).length);
      print(
        [
          String(count).padStart(8),
          `${memory.toFixed(0)} MB`.padStart(14),
          (memory / bareMemory).toFixed(1).padStart(7),
          mean(cpu).toFixed(2).padStart(23),
          String(written).padStart(12),
          `${Math.max(...children)} (screen observation)`.padStart(10),
        ].join(' '),
      );
    } finally {
      await world.close();
    }
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Resident memory in MB. */
function memoryOf(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Processor time of the process and its children, in hundredths of a second. */
function ticksOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownTicks(each), 0);
}

function ownTicks(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function childrenOf(pid: number): number[] {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The newest change below the gateway's directory. */
function newestIn(root: string): number {
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  return Math.max(...entries.map((entry) => fs.statSync(path.join(entry.parentPath, entry.name)).mtimeMs));
}
