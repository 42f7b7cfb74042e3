import * as fs from 'node:fs';
import type { InShell, ProcessStatus } from '../system.ts';
import { linkInProc, listProc, ownerInProc, readProc } from './proc.ts';

export { socketOwner } from './socket-owner.ts';

/** What Linux shows to programs is in hundredths of a second, whatever the kernel uses. */
const TICKS_PER_SECOND = 100;
const OWN_DESCRIPTORS = '/proc/self/fd';

/** Where /proc is not mounted, or hides the processes of others, they are missing here. */
export function runningPids(): number[] {
  return (listProc() ?? []).flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

const STATES: Readonly<Record<string, ProcessStatus['state']>> = {
  Z: 'ended',
  X: 'ended',
  T: 'stopped',
  t: 'stopped',
};

export function processStatus(pid: number): ProcessStatus | undefined {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const rest = text.slice(close + 2).split(' ');
  return {
    command: text.slice(open + 1, close),
    state: STATES[rest[0] ?? ''] ?? 'running',
    parent: Number(rest[1]),
    processGroup: Number(rest[2]),
    terminal: Number(rest[4]),
    foregroundGroup: Number(rest[5]),
    startTicks: Number(rest[19]),
  };
}

export function startedAtMs({ startTicks }: { startTicks: number | null }): number | undefined {
  if (startTicks === null) return undefined;
  const booted = numberIn('stat', /^btime (\d+)$/m);
  return booted === undefined ? undefined : (booted + Math.floor(startTicks / TICKS_PER_SECOND)) * 1000;
}

export const accountOf = (pid: number): number | undefined => ownerInProc(`${pid}`);
export const commandLineOf = (pid: number): string[] => entriesOf(readProc(`${pid}/cmdline`));
export const environmentOf = (pid: number): string[] => entriesOf(readProc(`${pid}/environ`));
export const directoryOf = (pid: number): string | undefined => linkInProc(`${pid}/cwd`);

export function openFilesOf(pid: number): string[] {
  return (listProc(`${pid}/fd`) ?? []).flatMap((fd) => linkInProc(`${pid}/fd/${fd}`) ?? []);
}

export function childrenOf(pid: number): number[] {
  return (listProc(`${pid}/task`) ?? [])
    .flatMap((thread) => (readProc(`${pid}/task/${thread}/children`) ?? '').split(' '))
    .filter((child) => child !== '')
    .map(Number);
}

export function lockHoldersOf(file: string): number[] {
  const { ino } = fs.statSync(file);
  return (readProc('locks') ?? '')
    .split('\n')
    .map((line) => /FLOCK\s+\S+\s+\S+\s+(\d+)\s+\S+?:\S+?:(\d+)\s/.exec(line))
    .filter((match) => match !== null && !match.input.includes('->') && Number(match[2]) === ino)
    .map((match) => Number(match![1]));
}

let known: string | null | undefined;

/** While no file can be opened, it is unknown. */
export function bootId(): string | null {
  try {
    known ??= readProc('sys/kernel/random/boot_id')?.trim() ?? null;
    return known;
  } catch {
    return null;
  }
}

export const openFilesLimit = (): number | undefined => numberIn('self/limits', /^Max open files\s+(\d+)/m);

export const lowestGivenPort = (): number | undefined =>
  numberIn('sys/net/ipv4/ip_local_port_range', /^(\d+)/);

export const pathOfDescriptor = (fd: number): string | undefined =>
  fs.existsSync(OWN_DESCRIPTORS) ? `${OWN_DESCRIPTORS}/${fd}` : undefined;

export const kernelTrees = ['/proc', '/sys', '/dev'];

export const inShell: InShell = {
  identity: `read -r stat <"/proc/$$/stat"
ticks() { shift 19; printf %s "$1"; }
started=$(ticks \${stat##*) })
read -r boot </proc/sys/kernel/random/boot_id`,
  uptime: `read -r now rest </proc/uptime; now=\${now%%.*}`,
};

function entriesOf(text: string | undefined): string[] {
  return text ? text.replace(/\0$/, '').split('\0') : [];
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(readProc(file) ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
