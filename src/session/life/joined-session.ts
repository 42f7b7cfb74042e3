import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  crashPoint,
  identifyProcess,
  type RouseError,
  readIfExists,
  sha256,
  writeFileAtomic,
} from '../../base/index.ts';
import { CAPABILITIES } from '../../domain/index.ts';
import { toolInstance } from '../../terminal/index.ts';
import { MCP_NAME, toolOf } from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { mcpEntryOf, planMcp, withoutMcp, writeConfig } from '../equip/mcp.ts';
import { removeSkills, type SkillsAtLaunch, skillsForLaunch } from '../equip/skills.ts';
import { type ManifestFacts, section, tryManifestFacts } from '../records/manifest-facts.ts';
import { readManifest, updateManifest } from '../records/manifest-store.ts';
import { readRegistry } from '../records/registry-read.ts';
import { OUR_VARIABLES, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import {
  holderOf,
  type Pane,
  type SessionTmux,
  type VariableHolder,
  type VariableState,
} from '../session-tmux.ts';

/** The window name that joins of earlier versions set. */
const AGENT_WINDOW_NAME = 'agent';

export type BeforeJoin = NonNullable<NonNullable<SessionManifest['tmux']>['before_join']>;

/** Records what a join is about to change in a person's session. */
export async function lookBeforeJoin(
  tmux: SessionTmux,
  holder: VariableHolder,
  pane: Pane,
): Promise<BeforeJoin> {
  const { name, automaticRename } = await tmux.windowLabel(pane.windowId);
  const variables = await tmux.variables(holder);
  return {
    window_id: pane.windowId,
    window_name: name,
    automatic_rename: automaticRename,
    renamed: false,
    variables: OUR_VARIABLES.map((variable) => ({
      name: variable,
      ...(variables?.get(variable) ?? { state: 'absent' }),
    })),
  };
}

type PutBack = 'put_back' | 'as_it_was' | 'gone';

/**
 * Returns a joined session as it was found: the name of its window, unless a person has changed it since, and its
 * variables. The pointer that makes the session ours is cleared with the rest, in one turn of tmux. A session without
 * the pointer was already returned, or belongs to another agent now, and is not touched.
 */
export async function putBack(tmux: SessionTmux, facts: ManifestFacts): Promise<PutBack> {
  const holder = holderOf(facts);
  const variables = await tmux.environment(holder);
  if (variables === undefined) return 'gone';
  if (!isOurs(variables, facts)) return 'as_it_was';
  if (!facts.sharesSession) await unmark(tmux, facts);
  const before = readManifest(facts.root).tmux?.before_join;
  // A window that a server owns was never renamed.
  if (before && before.renamed !== false && CAPABILITIES[facts.backend].owner === null) {
    const label = { name: before.window_name, automaticRename: before.automatic_rename };
    await tmux.restoreWindow(before.window_id, AGENT_WINDOW_NAME, label);
    crashPoint('session.leave.window');
  }
  const known = new Map(before?.variables.map(({ name, ...state }) => [name, state as VariableState]));
  const wanted = OUR_VARIABLES.map((name): [string, VariableState] => [
    name,
    known.get(name) ?? { state: 'absent' },
  ]);
  return (await tmux.setVariables(holder, wanted)) ? 'put_back' : 'gone';
}

/** Joins of other panes made the agent's own point at its manifest. */
export async function unmark(tmux: SessionTmux, facts: ManifestFacts): Promise<void> {
  if (CAPABILITIES[facts.backend].owner !== null) return;
  const pane = await tmux.paneOf(facts);
  if (pane && (await tmux.pointerOfPane(pane.paneId)) === facts.path) await tmux.unmarkPane(pane.paneId);
}

/** It points at this manifest; or it has the agent's id, and its pointer leads nowhere. */
function isOurs(variables: Map<string, string>, facts: ManifestFacts): boolean {
  const pointer = variables.get(VARIABLE.manifestPath);
  if (pointer === facts.path) return true;
  const elsewhere = pointer !== undefined && tryManifestFacts(pointer) !== undefined;
  return variables.get(VARIABLE.agentId) === facts.agentId && !elsewhere;
}

/** What a join added to the tool's own files. */
export interface Equipment {
  skills?: SkillsAtLaunch | undefined;
  /** The configuration that was edited, if that was requested. */
  mcpFile?: string | undefined;
  /** It was requested but failed. The session is joined all the same. */
  mcpError?: RouseError | undefined;
}

/** Stored in the manifest, for leave to undo. */
interface Placed {
  skills?: string[];
  mcp?: {
    file: string;
    sha256: string;
    existed: boolean;
    server: string;
    /** The tool instance at the time of the join, which has not read the configuration. Later instances have. */
    instance_before: string | null;
  };
}

const digest = (text: string): string => sha256(text);
const savedConfig = (facts: ManifestFacts): string =>
  path.join(sessionPaths(facts.root).launch, 'config-before-join');

/** Installs skills as a launch does and, with `mcp`, our server in the tool's configuration. Recorded before it is done. */
export async function equipJoined(
  context: SessionContext,
  facts: ManifestFacts,
  wanted: { skills: boolean; mcp: boolean; toolPid: number | null },
): Promise<Equipment> {
  const { env } = context;
  const target = { tool: facts.tool, home: homeOf(facts), env };
  const skills = wanted.skills ? skillsForLaunch(target) : undefined;
  if (skills && skills.written.length > 0) await record(context, facts, { skills: skills.written });
  if (!wanted.mcp) return { skills };
  try {
    const entry = mcpEntryOf({ manifest: facts.path, agentId: facts.agentId }, env);
    const { file, before, text } = planMcp({ ...target, entry });
    if (text !== before) {
      if (before !== undefined) writeFileAtomic(savedConfig(facts), before, { mode: 0o600 });
      const mcp = {
        ...{ file, sha256: digest(text), existed: before !== undefined },
        ...{ server: MCP_NAME, instance_before: instanceOf(wanted.toolPid) },
      };
      await record(context, facts, { mcp });
      crashPoint('session.join.mcp_recorded');
      writeConfig(file, text);
    }
    return { skills, mcpFile: file };
  } catch (error) {
    return { skills, mcpError: asRouseError(error) };
  }
}

/** The same name that a gateway uses for an instance of a tool. */
function instanceOf(pid: number | null): string | null {
  const process = pid === null ? undefined : identifyProcess(pid);
  return process ? toolInstance(process) : null;
}

/** Removes what the join added. What was changed since stays and is reported. */
export function unequipJoined(context: SessionContext, facts: ManifestFacts): string[] {
  const { skills = [], mcp } = placedOf(facts);
  return [
    ...(mcp ? restoreConfig(facts, mcp) : []),
    ...(skills.length > 0 ? takeOutSkills(context, facts, skills) : []),
  ];
}

/** Removes the skills of a tool whose last agent on this host is gone. Only ours, and only if unchanged. */
export function cleanSkills(context: SessionContext, facts: ManifestFacts): string[] {
  return toolOf(facts.tool)?.skills ? takeOutSkills(context, facts, undefined) : [];
}

function restoreConfig(
  facts: ManifestFacts,
  { file, sha256, existed }: NonNullable<Placed['mcp']>,
): string[] {
  const saved = savedConfig(facts);
  const before = readIfExists(saved);
  const now = readIfExists(file);
  if (now !== undefined && digest(now) !== sha256 && now !== before) {
    const rest = withoutMcp({ tool: facts.tool, manifest: facts.path }, now, before);
    if (rest === undefined)
      return [
        `${file} was changed since the join and is left as it is; remove the entry "${MCP_NAME}" of its MCP servers by hand`,
      ];
    writeConfig(file, rest);
    fs.rmSync(saved, { force: true });
    return [
      `${file} was changed since the join: the entry "${MCP_NAME}" of its MCP servers was removed, all else stays`,
    ];
  }
  if (now !== undefined && now !== before) {
    if (existed && before === undefined) return [`${file} cannot be restored: ${saved} is gone`];
    if (before === undefined) fs.rmSync(file, { force: true });
    else writeConfig(file, before);
  }
  fs.rmSync(saved, { force: true });
  return [];
}

function takeOutSkills(
  context: SessionContext,
  facts: ManifestFacts,
  only: readonly string[] | undefined,
): string[] {
  const others = otherAgents(context, facts);
  if (others.length > 0)
    return [
      `the mail skills of ${facts.tool} stay: ${others.join(', ')} ${others.length === 1 ? 'uses' : 'use'} them`,
    ];
  const before = removeSkills({ tool: facts.tool, home: homeOf(facts), env: context.env }, only);
  const changed = before.filter((each) => each.state === 'changed');
  return changed.map((each) => `${each.file} was changed by hand and is left as it is`);
}

/** Agents of this host that run the same tool. */
function otherAgents({ settings, clock }: SessionContext, facts: ManifestFacts): string[] {
  return readRegistry(settings.registryDir, clock.now().getTime())
    .fresh.filter((each) => each.identity.tool === facts.tool && each.agent_id !== facts.agentId)
    .map((each) => each.agent_name);
}

function planOf(facts: ManifestFacts): Record<string, unknown> {
  return section(facts.document, 'launch_plan');
}

function homeOf(facts: ManifestFacts): string | undefined {
  const home = section(planOf(facts), 'home_selector')['home_path'];
  return typeof home === 'string' ? home : undefined;
}

function placedOf(facts: ManifestFacts): Placed {
  return section(section(section(planOf(facts), 'metadata'), 'rouse'), 'placed') as Placed;
}

async function record(context: SessionContext, facts: ManifestFacts, more: Placed): Promise<void> {
  await updateManifest(facts.root, context.clock, (manifest) => {
    const { launch_plan: plan } = manifest;
    const ours = section(plan.metadata ?? {}, 'rouse');
    const placed = { ...(ours['placed'] as Placed | undefined), ...more };
    return {
      ...manifest,
      launch_plan: { ...plan, metadata: { ...plan.metadata, rouse: { ...ours, placed } } },
    };
  });
}
