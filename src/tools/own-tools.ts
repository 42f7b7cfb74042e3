import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandLine, invalid, messageOf } from '../base/index.ts';
import type { Tool } from './tool.ts';

/** The required properties of a tool, and the check of each. */
const REQUIRED: [string, (value: unknown) => boolean][] = [
  ['name', (value) => typeof value === 'string' && /^[a-z][a-z0-9_-]*$/.test(value)],
  ['process.executable', (value) => typeof value === 'string' && value !== ''],
  ['process.names', (value) => isWords(value) && value.length > 0],
  ['process.nestedMarks', isWords],
  ['process.npmPackage', (value) => value === null || typeof value === 'string'],
  ['homeVariable', (value) => value === null || typeof value === 'string'],
  ['role.method', (value) => ['cli_flag', 'first_message_flag', 'none'].includes(value as string)],
  ['detectors', Array.isArray],
];

/**
 * A person's own tools: each file is a module whose default export is a tool. This code runs as the person, so only the
 * person or root may be able to change it.
 */
export async function readOwnTools(files: readonly string[]): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const file of files) {
    requireTrusted(file);
    const tool = await exportOf(file);
    const missing = REQUIRED.find(([where, holds]) => !holds(at(tool, where)));
    if (missing) throw invalid(`ROUSE_TOOLS: the tool in ${file} has no valid "${missing[0]}"`);
    tools.push(tool as Tool);
  }
  return tools;
}

function requireTrusted(file: string): void {
  if (!path.isAbsolute(file)) throw invalid(`ROUSE_TOOLS: ${file} is not an absolute path`);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw invalid(`ROUSE_TOOLS: there is no file ${file}`);
  const owned = stat.uid === 0 || stat.uid === process.getuid?.();
  if (owned && (stat.mode & 0o022) === 0) return;
  throw invalid(`ROUSE_TOOLS: ${file} is not loaded, because others can change it`, {
    hint: commandLine`it must be yours: chmod go-w ${file}`,
  });
}

async function exportOf(file: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw invalid(`ROUSE_TOOLS: ${file} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function at(value: unknown, where: string): unknown {
  return where
    .split('.')
    .reduce((here: unknown, name) => (here as Record<string, unknown> | null)?.[name], value);
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
