import { isProcessAlive, type ProcessIdentity, readIfExists } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import type { SessionPaths } from './session-paths.ts';

/** What the parent of a gateway wrote about itself in run/keeper.json. */
export interface KeeperRecord {
  identity: ProcessIdentity;
  /** The gateway ended too often and is not started again. */
  gaveUp: boolean;
  /** Started again only after long pauses, since it ended so often. */
  slow: boolean;
  /** Its host ended whenever it was taken up. */
  suspect: boolean;
  /** How often it was started again. */
  restarts: number;
  /** Of the last end, as a shell tells it: 128 and the signal; null before the first. */
  exitCode: number | null;
  /** Of the last end; before the first, of its start. */
  sinceUtc: string;
  /** Of the host that holds the gateway; undefined of one that is a process. */
  hostDirectory: string | undefined;
  /** How often that host had been started again when this was told. */
  hostRestarts: number;
}

/** Of one in a host, the ends of the host count too, which the host's own keeper tells. */
export function readKeeper(paths: Pick<SessionPaths, 'keeper'>): KeeperRecord | undefined {
  const own = readRecord(paths.keeper);
  const host = own?.hostDirectory ? readRecord(hostFiles(own.hostDirectory).keeper) : undefined;
  if (!own || !host || host.identity.pid !== own.identity.pid) return own;
  const ends = host.restarts - own.hostRestarts;
  if (ends <= 0 && !host.gaveUp) return own;
  const { gaveUp, slow, exitCode, sinceUtc } = host;
  return { ...own, gaveUp, slow, exitCode, sinceUtc, restarts: own.restarts + ends };
}

/** A damaged record is as good as none. */
function readRecord(file: string): KeeperRecord | undefined {
  try {
    const record = JSON.parse(readIfExists(file) ?? 'null') as Record<string, unknown> | null;
    const pid = record?.['pid'];
    const ticks = record?.['pid_start_ticks'];
    if (!record || !Number.isInteger(pid) || !Number.isInteger(ticks)) return undefined;
    return {
      identity: { pid: pid as number, startTicks: ticks as number, bootId: String(record['boot_id']) },
      gaveUp: record['state'] === 'given_up',
      slow: record['state'] === 'slow',
      suspect: record['state'] === 'suspect',
      restarts: Number(record['restarts']),
      exitCode: Number.isInteger(record['exit_code']) ? (record['exit_code'] as number) : null,
      sinceUtc: String(record['since_utc']),
      hostDirectory: typeof record['host_directory'] === 'string' ? record['host_directory'] : undefined,
      hostRestarts: Number(record['host_restarts'] ?? 0),
    };
  } catch {
    return undefined;
  }
}

/** Whether somebody will start the gateway again that has ended. */
export function isKept(paths: SessionPaths): boolean {
  const keeper = readKeeper(paths);
  return keeper !== undefined && !keeper.gaveUp && isProcessAlive(keeper.identity);
}

/** A gateway that runs and that nothing would start again: its keeper was killed. */
export function isUnkept(paths: Pick<SessionPaths, 'keeper'>): boolean {
  const keeper = readKeeper(paths);
  return keeper !== undefined && !keeper.gaveUp && !isProcessAlive(keeper.identity);
}

/** A gateway that stays down: since when, and in a sentence for people why and what to do. */
export interface GatewayDown {
  since_utc: string;
  restarts: number;
  exit_code: number | null;
  message: string;
}

/** Undefined when nobody gave it up. */
export function whyDown(paths: SessionPaths): GatewayDown | undefined {
  const keeper = readKeeper(paths);
  if (!keeper?.gaveUp) return undefined;
  const { restarts, exitCode: exit_code, sinceUtc: since_utc } = keeper;
  const message =
    `the gateway is down since ${since_utc}: it ended by itself too often (${endWords(exit_code)}, started again ` +
    `${times(restarts)}); look at ${paths.log} and ${paths.errors}, then attach it again`;
  return { since_utc, restarts, exit_code, message };
}

/** That the gateway was started again since its attach; undefined when it was not. */
export function restartWords(paths: SessionPaths): string | undefined {
  const keeper = readKeeper(paths);
  if (!keeper || keeper.restarts === 0 || keeper.gaveUp) return undefined;
  return `it ended by itself and was started again ${times(keeper.restarts)}, the last time at ${keeper.sinceUtc} (${endWords(keeper.exitCode)})`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function endWords(code: number | null): string {
  if (code === null) return 'exit code unknown';
  return code > 128 ? `signal ${code - 128}` : `exit code ${code}`;
}
