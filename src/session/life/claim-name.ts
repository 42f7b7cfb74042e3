import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  commandLine,
  conflict,
  ensurePrivateDirectory,
  type FileLock,
  sha256,
  tryLockFile,
} from '../../base/index.ts';
import {
  bareAgentName,
  defaultAgentId,
  limit,
  nameInProject,
  type Project,
  parseAgentId,
  parseAgentName,
} from '../../domain/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import { ambiguousProject, endedIn, knownAgent } from '../called.ts';
import { findEnded, LiveSessions, publishForgotten, recordedOf } from '../live-sessions.ts';
import { projectOf } from '../records/project.ts';
import { readRegistry } from '../records/registry-read.ts';
import type { SessionContext } from '../session-context.ts';

/** The names of an agent that is about to exist. */
export interface ClaimedName {
  /** Unique on the machine: in the registry, as address, in the fleet. */
  agentName: string;
  agentId: string;
  /** As its project calls it. */
  shortName: string;
  project: Project;
}

export interface WantedName {
  agentName: string;
  agentId?: string | undefined;
  exactName?: boolean | undefined;
}

/**
 * Chooses the name of an agent on the machine, and reserves it with its id from the first check until publication or
 * failure. Without that, two launches at once could both see a name as free, and the loser would undo what the winner uses.
 * The kernel frees the claims of a process that dies.
 */
export async function withClaimedName<T>(
  context: SessionContext,
  project: Project,
  wanted: WantedName,
  work: (name: ClaimedName) => Promise<T>,
): Promise<T> {
  const shortName = parseAgentName(wanted.agentName, '--agent-name');
  const chosenId = wanted.agentId === undefined ? undefined : parseAgentId(wanted.agentId, '--agent-id');
  const inProject = claim(context, [`project-${sha256(project.directory).slice(0, 32)}-${shortName}`]);
  if (!inProject) throw taken(shortName);
  try {
    const choose = (): Promise<string[]> | string[] =>
      wanted.exactName ? [shortName] : namesFor(context, project, shortName);
    const names = await choose();
    for (const agentName of names) {
      const agentId = chosenId ?? defaultAgentId(agentName);
      const claimed = claim(context, [`id-${agentId}`, `name-${bareAgentName(agentName)}`]);
      if (!claimed) continue;
      try {
        // Another launch may have taken it since, and be done.
        if (!(await choose()).includes(agentName)) continue;
        return await work({ agentName, agentId, shortName, project });
      } finally {
        release(claimed);
      }
    }
    throw taken(shortName);
  } finally {
    release(inProject);
  }
}

/** Locks all of them or none. */
function claim({ settings }: SessionContext, keys: readonly string[]): FileLock[] | undefined {
  const directory = path.join(settings.registryDir, 'claims');
  ensurePrivateDirectory(directory);
  const held: FileLock[] = [];
  for (const key of keys) {
    const lock = tryLockFile(path.join(directory, `${key}.lock`));
    if (!lock) {
      release(held);
      return undefined;
    }
    held.push(lock);
  }
  return held;
}

function release(held: readonly FileLock[]): void {
  for (const lock of held) {
    // Removed while it is held: the next process to open the path gets a new file, not the one we locked.
    fs.rmSync(lock.path, { force: true });
    lock.release();
  }
}

function taken(agentName: string): Error {
  return conflict(`another launch or join of "${agentName}" is under way`, {
    hint: 'wait for it, or choose another name',
    facts: { cause: 'agent_in_use' },
  });
}

/**
 * The names on the machine that an agent of this project may get, best first: the one it had before, its own, one with the
 * project in front. Never one of an agent of another project, because the mail of that agent is under it.
 */
async function namesFor(context: SessionContext, project: Project, shortName: string): Promise<string[]> {
  const others = await namesInUse(context);
  const known = others.map(knownAgent);
  const own = known.find(
    (each) => each.shortName === shortName && each.project?.directory === project.directory,
  );
  if (own) return [own.agentName];
  const former = endedIn(context, project, shortName)?.agentName;
  const isFree = (name: string): boolean =>
    !known.some(({ agentName }) => agentName === bareAgentName(name)) &&
    !belongsElsewhere(context, project, name);
  const first = [former ?? shortName, shortName].filter(isFree);
  const qualified = nameInProject(project, shortName);
  const isShort = qualified.length <= limit('nameLength');
  const free = isShort && isFree(qualified) ? [...first, qualified] : first;
  if (free.length > 0) return [...new Set(free)];
  const holder =
    known.find(({ agentName }) => agentName === qualified)?.project ??
    formerProject(context, qualified) ??
    project;
  if (holder.directory !== project.directory && holder.name === project.name)
    throw ambiguousProject(project.name, [project, holder], known);
  return [shortName];
}

/** A stopped agent keeps its name while its project exists. */
function belongsElsewhere(context: SessionContext, project: Project, name: string): boolean {
  const former = formerProject(context, name);
  return former !== undefined && former.directory !== project.directory && fs.existsSync(former.directory);
}

function formerProject(context: SessionContext, agentName: string): Project | undefined {
  const ended = findEnded(context, { agentName });
  return ended && projectOf(ended);
}

/** Records that name a living session, or one that was not stopped. */
async function namesInUse(context: SessionContext): Promise<RegistryRecord[]> {
  const sessions = new LiveSessions(context.env);
  await publishForgotten(context, sessions);
  const view = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  const lives = await Promise.all(
    view.expired.map(async (record) => (await sessions.nameOf(recordedOf(record))) !== undefined),
  );
  return [...view.fresh, ...view.expired.filter((_, at) => lives[at])];
}

/**
 * A name or id that another session has is an error; the new session is never renamed. A record whose lease ran out still
 * counts while its tmux session lives, and so does a session whose launch was killed before publication. Otherwise two
 * agents would have the same name.
 */
export async function refuseTakenName(
  context: SessionContext,
  wanted: { agentName: string; agentId: string },
): Promise<void> {
  const sessions = new LiveSessions(context.env);
  await publishForgotten(context, sessions);
  const view = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  const same = (record: RegistryRecord): boolean =>
    record.agent_id === wanted.agentId ||
    bareAgentName(record.agent_name) === bareAgentName(wanted.agentName);
  for (const record of [...view.fresh, ...view.expired].filter(same)) {
    const name = await sessions.nameOf(recordedOf(record));
    const lives = name !== undefined;
    if (!lives && !view.fresh.includes(record)) continue;
    throw conflict(
      record.agent_id === wanted.agentId
        ? `agent id ${wanted.agentId} is in use by "${record.agent_name}"`
        : `agent name "${wanted.agentName}" is in use`,
      {
        hint: lives
          ? `it runs in tmux session "${name}"; stop it with "${commandLine`rouse agents stop --agent-id ${record.agent_id}`}", or choose another name`
          : `its session is gone: "${commandLine`rouse agents relaunch --agent-id ${record.agent_id} --resume`}" brings it back, "${commandLine`rouse agents stop --agent-id ${record.agent_id}`}" forgets it`,
        facts: {
          cause: 'agent_in_use',
          agent_id: record.agent_id,
          tmux_session: record.terminal.session_name,
        },
      },
    );
  }
}
