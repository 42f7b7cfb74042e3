import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { readVersion, versionStatus } from '../../screen/index.ts';
import { detectorFor, type ToolProcess, toolOf } from '../../tools/index.ts';

const TIMEOUT_MS = 4000;

/**
 * The version of a tool: from the package it was installed with, else as it tells when asked. What is known about
 * its screens holds for certain versions, so the manifest records which one was started. A tool that does not say
 * is of unknown version; that is no reason not to start it.
 */
export async function detectVersion(
  { npmPackage }: Pick<ToolProcess, 'npmPackage'>,
  executable: string,
  place: { cwd: string; env: Record<string, string> },
): Promise<string | null> {
  if (npmPackage === null) return null;
  return packageVersion(executable, npmPackage) ?? (await toldVersion(executable, place));
}

/** What is to be said of a version whose screens were never checked: the agent may not be woken. */
export function versionNotes(toolName: string, version: string | null): string[] {
  const tool = toolOf(toolName);
  if (!tool || tool.detectors.length === 0 || version === null) return [];
  const { versions } = detectorFor(tool.name, { version });
  if (versionStatus(version, versions) !== 'outside') return [];
  return [
    `version ${version} of ${tool.name} is not known (${versions.from} up to ${versions.seen.at(-1)} is): it may not be ` +
      'typed into, and then it is not woken; use a version that is known, or update Rouse',
  ];
}

/** Starting a tool only to ask it takes seconds; its package lies above the file that the command leads to. */
export function packageVersion(executable: string, name: string): string | undefined {
  let directory: string;
  try {
    directory = path.dirname(fs.realpathSync(executable));
  } catch {
    return undefined;
  }
  for (;;) {
    const version = versionIn(path.join(directory, 'package.json'), name);
    if (version !== undefined) return version;
    const parent = path.dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
}

function versionIn(file: string, name: string): string | undefined {
  try {
    const found = JSON.parse(fs.readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown };
    return found.name === name && typeof found.version === 'string' ? found.version : undefined;
  } catch {
    return undefined;
  }
}

function toldVersion(
  executable: string,
  place: { cwd: string; env: Record<string, string> },
): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { ...place, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, maxBuffer: 64 * 1024 };
    const child = execFile(executable, ['--version'], options, (error, stdout) => {
      resolve(error ? null : (readVersion(stdout)?.join('.') ?? null));
    });
    child.stdin?.end();
  });
}
