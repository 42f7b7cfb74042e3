import * as path from 'node:path';
import { findProgram } from '../base/index.ts';
import { versionStatus } from '../screen/index.ts';
import { Tmux } from '../tmux/index.ts';
import { detectorFor, TOOLS } from '../tools/index.ts';
import { detectVersion } from './equip/detect-version.ts';
import { handedEnvironment } from './equip/handed-environment.ts';
import { tryManifestFacts } from './records/manifest-facts.ts';
import { removeRecord } from './records/registry.ts';
import { readRegistry } from './records/registry-read.ts';
import { socketOf } from './records/tmux-socket.ts';
import type { SessionContext } from './session-context.ts';
import { SessionTmux } from './session-tmux.ts';

/** What can be said of the surroundings of sessions, for whoever looks for trouble. Nothing is started and nothing changed. */

export interface TmuxExamination {
  version: string;
  socket: string;
  /** How many sessions its server has; none when it does not run. */
  sessions: number;
}

/** Throws what tmux lacks: it is not installed, too old, or its server does not answer. */
export async function examineTmux({ settings, env }: SessionContext): Promise<TmuxExamination> {
  const { text } = await new Tmux({ env }).version();
  const socket = socketOf(settings.tmuxSocket, env);
  return { version: text, socket, sessions: (await new SessionTmux(socket, env).sessions()).length };
}

export interface ToolExamination {
  tool: string;
  executable: string;
  /** Null: it does not say. */
  version: string | null;
  /** seen: of this very version screens were captured. in_range: it should be the same. outside: prompts are refused. */
  known: 'seen' | 'in_range' | 'outside' | 'assumed' | 'never';
  seen: string[];
}

/** Every tool that is installed here, and whether its screens are known in that version. */
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

/** Records whose manifest is gone: they lead nowhere, and keep a name. */
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
