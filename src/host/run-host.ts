import * as fs from 'node:fs';
import {
  type Clock,
  identifyProcess,
  messageOf,
  type ProcessIdentity,
  tryLockFile,
  utcStamp,
  writeJsonAtomic,
} from '../base/index.ts';
import { gatewayFiles, hostFiles } from '../wire/index.ts';
import { serveControl } from './control-socket.ts';
import { Host } from './host.ts';
import { HostJournal } from './host-journal.ts';
import type { StartInside } from './hosted-gateway.ts';
import { HostedNotices, type OpenNotices } from './hosted-notices.ts';

export interface HostOptions {
  directory: string;
  rouseHome: string;
  clock: Clock;
  start: StartInside;
  /** Opens the notices of the home; undefined if no one subscribed, or another host sends them. */
  openNotices: OpenNotices;
  /** How often its parent has restarted it. */
  restarts: number;
  keeping: { restarts: number; firstPauseSeconds: number };
}

/** The command that starts a host sends a request at once. A host without one ends. */
const FIRST_REQUEST_MS = 15_000;

/** Runs until it holds nothing or is asked to end; then the process may exit. `locked`: another host is running. */
export async function runHost(options: HostOptions): Promise<'ended' | 'locked'> {
  const { directory, clock, restarts } = options;
  const files = hostFiles(directory);
  const lock = tryLockFile(files.lock);
  if (!lock) return 'locked';
  const life = new HostLife();
  const stop = (handOver: boolean): void => {
    life.asked = true;
    void host.endAll(handOver).finally(() => life.look());
  };
  const host = createHost(options, () => setImmediate(() => life.look()), stop);
  handleUncaught(host);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const)
    process.on(signal, () => stop(false));
  const control = await serveControl(
    files.socket,
    (request) => {
      life.asked = true;
      return host.answer(request);
    },
    () => setImmediate(() => life.look()),
  );
  life.isEmpty = () => host.isEmpty && control.open === 0;
  writeRecord(files.currentInstance, options);
  if (restarts > 0) {
    await host.resume(lastExit(files.keeper), ({ root }) => isLetGo(root));
    life.asked = true;
  }
  await host.answer({ do: 'notices' });
  const cancel = clock.after(FIRST_REQUEST_MS, () => {
    life.asked = true;
    life.look();
  });
  life.look();
  await life.over;
  cancel();
  control.close();
  fs.rmSync(files.currentInstance, { force: true });
  lock.release();
  return 'ended';
}

/** A host is over when it holds nothing, no request is open, and its first request has come or is overdue. */
class HostLife {
  asked = false;
  isEmpty: () => boolean = () => false;
  #end: () => void = () => {};
  readonly over = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  look(): void {
    if (this.asked && this.isEmpty()) this.#end();
  }
}

function createHost(options: HostOptions, emptied: () => void, stop: (handOver: boolean) => void): Host {
  const { directory, clock, start, restarts, keeping, openNotices } = options;
  const firstPauseMs = keeping.firstPauseSeconds * 1000;
  return new Host({
    notices: new HostedNotices({ open: openNotices, clock, firstPauseMs }),
    journal: new HostJournal(),
    emptied,
    stop,
    hosting: {
      start,
      directory,
      clock,
      hostRestarts: restarts,
      keeper: keeperOf(options),
      restarts: keeping.restarts,
      firstPauseMs,
      beyondHelp: giveUp,
    },
  });
}

/** An error of one gateway restarts that gateway. Any other error may affect all of them, so the host ends. */
function handleUncaught(host: Host): void {
  const handle = (error: unknown): void => {
    if (!host.blame(error)) giveUp(error);
  };
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}

function giveUp(error: unknown): void {
  process.stderr.write(
    `host: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`,
  );
  process.exit(1);
}

/** This gateway was to be ended while its host did not answer, so the host was killed instead. */
function isLetGo(root: string): boolean {
  const { letGo } = gatewayFiles(root);
  const there = fs.existsSync(letGo);
  fs.rmSync(letGo, { force: true });
  return there;
}

function writeRecord(file: string, { rouseHome, clock }: HostOptions): void {
  const own = identifyProcess(process.pid);
  writeJsonAtomic(file, {
    schema_version: 1,
    pid: process.pid,
    pid_start_ticks: own?.startTicks ?? null,
    boot_id: own?.bootId ?? null,
    rouse_home: rouseHome,
    started_at_utc: utcStamp(clock.now()),
  });
}

/** From the record of its parent. */
function lastExit(keeper: string): number | null {
  const code = readKeeperRecord(keeper)['exit_code'];
  return Number.isInteger(code) ? (code as number) : null;
}

/** The process that restarts this host: its parent as of the start, or the host itself without one. */
function keeperOf({ directory, keeping }: HostOptions): ProcessIdentity | undefined {
  if (keeping.restarts === 0) return identifyProcess(process.pid);
  const { pid, pid_start_ticks, boot_id } = readKeeperRecord(hostFiles(directory).keeper);
  // A parent that was killed before this is not the parent any more.
  if (!Number.isInteger(pid)) return identifyProcess(process.ppid);
  return { pid: pid as number, startTicks: pid_start_ticks as number, bootId: boot_id as string };
}

function readKeeperRecord(file: string): Record<string, unknown> {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
