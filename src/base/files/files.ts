import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, errnoOf, explainDisk, forbidden, invalid, notFound } from '../errors.ts';
import { randomHex } from '../ids.ts';

export interface AtomicWriteOptions {
  mode?: number;
  /**
   * Survives a power cut (fsync of file and directory). Default true; derived files may skip it. `content`: a reader
   * after a power cut gets all of it or no file, until the caller has synced the directory.
   */
  durable?: boolean | 'content';
}

/**
 * Replaces a file in one step: temporary sibling, fsync, rename, fsync of the directory. Readers never see half of it.
 * Refuses to replace anything but a file or a link.
 */
export function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const { mode = 0o600, durable = true } = options;
  requireReplaceable(file);
  const temporary = temporaryFor(file);
  try {
    const fd = fs.openSync(temporary, 'wx', mode);
    try {
      fs.writeFileSync(fd, content);
      fs.fchmodSync(fd, mode);
      if (durable) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  if (durable === true) fsyncDirectory(path.dirname(file));
}

/**
 * Gives a file a second name in one step, replacing what had it, so that the same content need not be synced twice.
 * Afterwards neither name may be written into, only replaced. Copies where there are no links. The caller syncs the
 * directory.
 */
export function shareFile(file: string, other: string): void {
  requireReplaceable(other);
  const temporary = temporaryFor(other);
  try {
    fs.linkSync(file, temporary);
    fs.renameSync(temporary, other);
  } catch {
    fs.rmSync(temporary, { force: true });
    writeFileAtomic(other, fs.readFileSync(file), { durable: 'content' });
  }
}

/** Throws unless a rename may replace it: a rename would also replace a device that every program of the machine needs. */
export function requireReplaceable(file: string): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat || stat.isFile() || stat.isDirectory()) return;
  if (stat.isSymbolicLink() && !isOpenedElsewhere(file, stat)) return;
  throw invalid(`${file} is not a regular file, and is left as it is`, { hint: 'name another file' });
}

/**
 * Writes a file that a person named. A device, a pipe or the target of /dev/stdout is written into; a file is replaced
 * in one step.
 */
export function writeNamedFile(file: string, content: string, mode = 0o600): void {
  if (!isStream(file)) {
    writeFileAtomic(file, content, { mode });
    return;
  }
  const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK);
  try {
    fs.writeFileSync(fd, content);
  } finally {
    fs.closeSync(fd);
  }
}

function isStream(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return false;
  return !stat.isFile() || isOpenedElsewhere(file, fs.lstatSync(file));
}

/** /dev/stdout and the like: a link to what a process has open. */
function isOpenedElsewhere(file: string, stat: fs.Stats): boolean {
  return stat.isSymbolicLink() && /^\/(dev|proc)\//.test(path.resolve(file));
}

function temporaryFor(file: string): string {
  const once = `${process.pid}-${randomHex(4)}`;
  return path.join(path.dirname(file), `.${path.basename(file)}.tmp-${once}`);
}

/** Whether a file of this name is one of these temporary siblings. Watchers ignore it until it is renamed. */
export const isTemporaryName = (name: string): boolean => /^\..+\.tmp-\d+-[0-9a-f]+$/.test(name);

/** Replaces a derived file in one step, in another thread. Does not survive a power cut. */
export async function replaceAside(file: string, content: string): Promise<void> {
  requireReplaceable(file);
  const temporary = temporaryFor(file);
  try {
    await fs.promises.writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
    await fs.promises.rename(temporary, file);
  } catch (error) {
    await fs.promises.rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Makes a rename, link or unlink in this directory survive a power cut. */
export function fsyncDirectory(directory: string): void {
  const fd = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** JSON as in all our files: two spaces, sorted keys, final newline. */
export function stableJson(value: unknown): string {
  return `${JSON.stringify(sortKeys(value), null, 2)}\n`;
}

/** The same on one line, without a final newline. */
export function stableLine(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  // Without a prototype, "__proto__" is a key like any other.
  const sorted = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys((value as typeof sorted)[key]);
  return sorted;
}

export function writeJsonAtomic(file: string, value: unknown, options?: AtomicWriteOptions): void {
  writeFileAtomic(file, stableJson(value), options);
}

/** Returns the file's text, or undefined if there is no such file. Throws every other failure. Never blocks on a pipe. */
export function readIfExists(file: string): string | undefined {
  try {
    return readWithoutWaiting(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    // The system's own message does not name it.
    if (errnoOf(error) === 'EISDIR') throw conflict(`${file} is a directory, not a file`);
    throw error;
  }
}

/** Returns parsed JSON, or undefined if there is no such file. A file that is not JSON is `invalid` and named. */
export function readJsonIfExists(file: string): unknown {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, { cause: error });
  }
}

/** Returns the object in a file; undefined if there is none or it is damaged. */
export function readObjectIfAny(file: string): Record<string, unknown> | undefined {
  try {
    return readObjectIfExists(file);
  } catch {
    return undefined;
  }
}

/** The object in a file, or undefined when there is no such file; a damaged one is `invalid`. */
export function readObjectIfExists(file: string): Record<string, unknown> | undefined {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw invalid(`${file} is damaged: it is not a JSON object`);
}

function readWithoutWaiting(file: string): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes only if the content differs. */
export function writeJsonIfOther(file: string, value: unknown, options?: AtomicWriteOptions): void {
  const text = stableJson(value);
  if (readIfExists(file) !== text) writeFileAtomic(file, text, options);
}

/** Makes a directory that only its owner may enter. An existing one keeps its mode. */
export function ensurePrivateDirectory(directory: string): void {
  ensureDirectory(directory, 0o700);
}

/**
 * Makes a directory and its parents, as `mkdir -p` does. Node's own recursive mkdir never returns if an existing
 * directory reports ENOENT for a new one, as some of the kernel's do; this one tries each step once.
 */
export function ensureDirectory(directory: string, mode = 0o777): void {
  try {
    makeWithParents(path.resolve(directory), mode);
  } catch (error) {
    throw explainDirectory(error, path.resolve(directory));
  }
}

function makeWithParents(directory: string, mode: number): void {
  if (isDirectory(directory)) return;
  const above = path.dirname(directory);
  if (above !== directory) makeWithParents(above, mode);
  try {
    fs.mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have made it at the same time.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(directory: string): boolean {
  try {
    return fs.statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

function explainDirectory(cause: unknown, directory: string): unknown {
  const { path: at = directory } = cause as { path?: string };
  switch (errnoOf(cause)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return forbidden(`not allowed to create the directory ${at}`, {
        hint: 'choose a place you may write to',
        cause,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return explainDisk(cause, `no room on the disk for the directory ${at}`);
    case 'EEXIST':
    case 'ENOTDIR':
      return conflict(`cannot create the directory ${directory}: ${at} is in the way`, {
        hint: 'it is a file, or a link that leads nowhere',
        cause,
      });
    case 'ENOENT':
      return notFound(`the directory ${at} cannot be created in ${path.dirname(at)}`, { cause });
    default:
      return explainDisk(cause, `the directory ${at} cannot be created`);
  }
}

/**
 * A file name as shown to people. U+202E and its like would show `anntxt.exe` as `annexe.txt`. Characters that only
 * join letters stay.
 */
export function shownName(name: string): string {
  return name.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
}
