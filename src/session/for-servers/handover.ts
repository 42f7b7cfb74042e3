import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  errnoOf,
  forbidden,
  invalid,
  randomHex,
  writeFileAtomic,
} from '../../base/index.ts';
import type { SessionSettings } from '../session-context.ts';

/**
 * The environment of a command line on its way to the server that launches for it. It may hold credentials, and whoever
 * listens on a port may be a stranger: so it goes through a file only its owner can read, and the request names the file.
 * That the server can read it also shows that both belong to the same account and the same home.
 */
export interface Handover {
  env: NodeJS.ProcessEnv;
  /** The fleet server the agent is to register with, and whose token it does so with. */
  fleet?: SessionSettings['fleet'];
}

const DIRECTORY = 'handover';
const LEFT_BEHIND_MS = 10 * 60_000;
const LARGEST_BYTES = 4 * 1024 * 1024;

export function writeHandover(runtimeDir: string, handover: Handover): string {
  const directory = path.join(runtimeDir, DIRECTORY);
  ensurePrivateDirectory(directory);
  sweep(directory);
  const file = path.join(directory, `${randomHex(16)}.json`);
  writeFileAtomic(file, JSON.stringify(handover), { mode: 0o600, durable: false });
  return file;
}

/** What was handed over; it is taken once, whatever it says. */
export function takeHandover(runtimeDir: string, file: string): Handover {
  const directory = path.join(runtimeDir, DIRECTORY);
  if (path.dirname(file) !== directory || !/^[0-9a-f]{32}\.json$/.test(path.basename(file))) {
    throw forbidden(`environment_file must be a file of ${directory}`, {
      hint: 'the command line and the server must have the same ROUSE_HOME',
    });
  }
  return parse(readOnce(file));
}

/** Opened without following a link, judged by what was opened, and removed before it is believed. */
function readOnce(file: string): string {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    throw invalid(`environment_file cannot be read (${errnoOf(error)})`, { cause: error });
  }
  try {
    const stat = fs.fstatSync(fd);
    const own = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
    if (!own) throw forbidden('environment_file must be a file that only this account can read');
    if (stat.size > LARGEST_BYTES) throw invalid('environment_file is larger than an environment can be');
    fs.rmSync(file, { force: true });
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

function parse(text: string): Handover {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('environment_file is not JSON', { cause: error });
  }
  const { env, fleet } = (value ?? {}) as {
    env?: unknown;
    fleet?: { url?: unknown; tokenFile?: unknown } | null;
  };
  const isFleet = fleet == null || (typeof fleet.url === 'string' && typeof fleet.tokenFile === 'string');
  if (!isEnvironment(env) || !isFleet)
    throw invalid('environment_file must hold an environment: {"env": {"NAME": "text"}}');
  return { env, ...(fleet && { fleet: fleet as NonNullable<Handover['fleet']> }) };
}

function isEnvironment(value: unknown): value is NodeJS.ProcessEnv {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && !/[=\0]/.test(name) && !text.includes('\0'),
  );
}

/** Of command lines that were killed before they could take theirs back. */
function sweep(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    const file = path.join(directory, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > LEFT_BEHIND_MS) fs.rmSync(file, { force: true });
  }
}
