import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { findProgram } from '../base/index.ts';
import { readVersion, versionStatus } from '../screen/index.ts';
import { Tmux } from '../tmux/index.ts';
import { detectorFor, TOOLS, type ToolProcess, toolOf } from '../tools/index.ts';
import { handedEnvironment } from './equip/programs.ts';
import { tryManifestFacts } from './records/manifest-facts.ts';
import { removeRecord } from './records/registry.ts';
import { readRegistry } from './records/registry-read.ts';
import { socketOf } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { SessionTmux } from './session-tmux.ts';

/** Checks for doctor. Starts nothing and changes nothing. */

export interface TmuxExamination {
  version: string;
  socket: string;
  /** Sessions of its server; 0 if it does not run. */
  sessions: number;
}

/** Throws if tmux is not installed, is too old, or its server does not answer. */
export async function examineTmux({ settings, env }: SessionContext): Promise<TmuxExamination> {
  const { text } = await new Tmux({ env }).version();
  const socket = socketOf(settings.tmuxSocket, env);
  return { version: text, socket, sessions: (await new SessionTmux(socket, env).sessions()).length };
}

export interface ToolExamination {
  tool: string;
  executable: string;
  /** Null if unknown. */
  version: string | null;
  /** seen: screens of exactly this version were captured. in_range: it should be the same. outside: prompts are refused. */
  known: 'seen' | 'in_range' | 'outside' | 'assumed' | 'never';
  seen: string[];
}

/** Every tool that is installed here, and whether the screens of that version are known. */
export async function examineTools({ env }: SessionContext): Promise<ToolExamination[]> {
  const installed = TOOLS.filter(({ process }) => !process.packaged).flatMap((tool) => {
    const executable = findProgram(tool.process.executable, env, '/');
    return executable === undefined ? [] : [{ tool, executable }];
  });
  return Promise.all(
    installed.map(async ({ tool, executable }) => {
      const place = { cwd: '/', env: handedEnvironment(env, tool.process.nestedMarks) };
      const version = await detectVersion(tool.process, executable, place);
      const about = { tool: tool.name, executable, version };
      if (tool.detectors.length === 0) return { ...about, known: 'never' as const, seen: [] };
      const { versions } = detectorFor(tool.name, { version: version ?? undefined });
      return { ...about, known: versionStatus(version ?? undefined, versions), seen: versions.seen };
    }),
  );
}

/** Records whose manifest is gone: they lead nowhere but keep a name in use. */
export function deadRecords({
  settings,
  clock,
}: SessionContext): { agentName: string; forget: () => Promise<void> }[] {
  const { fresh, expired } = readRegistry(settings.registryDir, clock.now().getTime());
  return [...fresh, ...expired]
    .filter(({ runtime }) => tryManifestFacts(runtime.manifest_path) === undefined)
    .map((record) => ({
      agentName: record.agent_name,
      forget: async () => {
        const owner = { agentId: record.agent_id, generationId: record.generation_id };
        await removeRecord(settings.registryDir, owner, clock);
      },
    }));
}

/** Where the tmux server keeps its socket. */
export function socketDirectory({ settings, env }: SessionContext): string {
  return path.dirname(socketOf(settings.tmuxSocket, env));
}

const TIMEOUT_MS = 4000;

/**
 * The version of a tool: from the package it was installed with, else from running `--version`. Knowledge of its screens
 * is for certain versions, so the manifest records which one was started. A tool that reports none has an unknown
 * version and is started all the same.
 */
export async function detectVersion(
  { npmPackage }: Pick<ToolProcess, 'npmPackage'>,
  executable: string,
  place: { cwd: string; env: Record<string, string> },
): Promise<string | null> {
  if (npmPackage === null) return null;
  return packageVersion(executable, npmPackage) ?? (await reportedVersion(executable, place));
}

/** A warning about a version whose screens were never checked: the agent may not be woken. */
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

/** Running a tool for its version takes seconds. Its package is above the file that the command leads to. */
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

function reportedVersion(
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
