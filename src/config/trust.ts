import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  forbidden,
  notFound,
  readJsonIfExists,
  sha256,
  writeJsonAtomic,
} from '../base/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import type { CarefulFile } from './read-carefully.ts';

interface Trusted {
  schema_version: 1;
  /** The path of each file, and the SHA-256 of its content. */
  files: Record<string, string>;
}

export function hashOf({ bytes }: CarefulFile): string {
  return sha256(bytes);
}

/** Whether exactly these bytes were trusted. */
export function isTrusted(home: string, file: CarefulFile): 'trusted' | 'changed' | 'untrusted' {
  const hash = readTrusted(home).files[file.path];
  return hash === undefined ? 'untrusted' : hash === hashOf(file) ? 'trusted' : 'changed';
}

/** Trusts the file until it changes. */
export function trustProject(home: string, file: CarefulFile, env: NodeJS.ProcessEnv): void {
  refuseAgents(env);
  const { files } = readTrusted(home);
  write(home, { ...files, [file.path]: hashOf(file) });
}

export function untrustProject(home: string, file: string): void {
  const { files } = readTrusted(home);
  if (files[file] === undefined) throw notFound(`${file} is not trusted`, { hint: 'it is already ignored' });
  write(home, Object.fromEntries(Object.entries(files).filter(([path]) => path !== file)));
}

/** An agent may write a project's file, so only a person may trust it. */
function refuseAgents(env: NodeJS.ProcessEnv): void {
  if (!env[VARIABLE.manifestPath]) return;
  throw forbidden('an agent cannot trust a file', { hint: "run it outside of an agent's session" });
}

const storeOf = (home: string): string => path.join(home, 'config', 'trusted.json');

function readTrusted(home: string): Trusted {
  const found = readJsonIfExists(storeOf(home)) as Partial<Trusted> | undefined;
  const files = Object.entries(found?.files ?? {}).filter(([, hash]) => typeof hash === 'string');
  return { schema_version: 1, files: Object.fromEntries(files) };
}

function write(home: string, files: Trusted['files']): void {
  ensurePrivateDirectory(path.dirname(storeOf(home)));
  const document: Trusted = { schema_version: 1, files };
  writeJsonAtomic(storeOf(home), document, { mode: 0o600 });
}
