import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, errnoOf, explainDisk, forbidden, invalid, notFound } from '../errors.ts';
import { randomHex } from '../ids.ts';

export interface AtomicWriteOptions {
  mode?: number;
  /**
   * Survive a power cut (fsync of file and directory). Default true; derived files may skip it. `content`: whoever reads it
   * after one reads all of it, but it may be missing until the caller has synced the directory.
   */
  durable?: boolean | 'content';
}

/**
 * Replaces a file in one step: temporary sibling, fsync, rename, fsync of the directory. Readers never see half of it. What
 * is neither a file nor a link is left as it is, and refused.
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
 * Gives a file a second name in one step, in place of whatever had it; the same content need not be synced twice. Neither
 * name may be written into afterwards, only replaced. Where there are no links it is a copy. The caller syncs the directory.
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

/** A rename puts a file in place of whatever has the name: also of a device that every program of the machine needs. */
export function requireReplaceable(file: string): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat || stat.isFile() || stat.isDirectory()) return;
  if (stat.isSymbolicLink() && !isOpenedElsewhere(file, stat)) return;
  throw invalid(`${file} is not a regular file, and is left as it is`, { hint: 'name another file' });
}

/**
 * Writes a file that a person named. A device, a pipe or what /dev/stdout leads to is written into and stays what it is; a
 * file is replaced in one step.
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

/** Whether a file of this name is one of the above, which tells a watcher nothing before it is renamed. */
export const isTemporaryName = (name: string): boolean => /^\..+\.tmp-\d+-[0-9a-f]+$/.test(name);

/** Replaces a derived file in one step, on another thread. Does not survive a power cut. */
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

/** JSON as all our files hold it: two spaces, sorted keys, final newline. */
export function stableJson(value: unknown): string {
  return `${JSON.stringify(sortKeys(value), null, 2)}\n`;
}

/** The same on one line, without an end of line. */
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

/** The file's text, or undefined when there is no such file. Every other failure is thrown. A pipe in its place never blocks. */
export function readIfExists(file: string): string | undefined {
  try {
    return readWithoutWaiting(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    // The system's own words do not name it.
    if (errnoOf(error) === 'EISDIR') throw conflict(`${file} is a directory, not a file`);
    throw error;
  }
}

/** Parsed JSON, or undefined when there is no such file; a file that is not JSON is `invalid` and named. */
export function readJsonIfExists(file: string): unknown {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, { cause: error });
  }
}

/** The object in a file; undefined if there is none, and if it is damaged. */
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

/** Only where something else is written. */
export function writeJsonIfOther(file: string, value: unknown, options?: AtomicWriteOptions): void {
  const text = stableJson(value);
  if (readIfExists(file) !== text) writeFileAtomic(file, text, options);
}

/** A directory only its owner may enter. An existing one keeps its mode. */
export function ensurePrivateDirectory(directory: string): void {
  ensureDirectory(directory, 0o700);
}

/**
 * Makes a directory and those above it, as `mkdir -p` does. Node's own recursive mkdir never returns where an existing
 * directory answers ENOENT to a new one (of the kernel); this one climbs each step once. What stands in the way is named.
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
    // Somebody else may have made it at the same time.
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
 * A file's name as people are shown it: U+202E and its like make `annexe.txt` of `anntxt.exe`. What only joins letters
 * stays.
 */
export function shownName(name: string): string {
  return name.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
}
