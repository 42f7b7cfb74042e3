import * as path from 'node:path';
import {
  bareName,
  bootId,
  childrenOf,
  commandLineOf,
  isInterpreter,
  isShell,
  namesOf,
  type ProcessIdentity,
  pidExists,
  processStatus,
} from '../../base/index.ts';
import type { ProcessFacts } from '../../screen/index.ts';
import type { Pane } from '../../tmux/index.ts';

/** How the tool's process is recognised. */
export interface ToolLooks {
  /** Names of the program, or of the script an interpreter runs. */
  names: string[];
  /** The first words of its command line, as it was launched. */
  launched: string[];
  /** Process ids under which it was started, for tools that give themselves another name. */
  pids: () => number[];
}

export interface Foreground {
  kind: ProcessFacts['foreground'];
  /** The tool's own process, while it holds the terminal. */
  tool: ProcessIdentity | undefined;
  /** Programs found in the foreground, outermost first. */
  programs: string[];
}

const GONE: Foreground = { kind: 'gone', tool: undefined, programs: [] };
const MAX_PROCESSES = 500;

/**
 * What holds the pane's terminal: the foreground process group of its tty. The tool may be the pane's own process, a
 * child of the script that started it, or a child of a wrapper; a tool in the background does not count. If it cannot
 * be read it is unknown, and the tool seen last is still watched.
 */
export function readForeground(pane: Pane, looks: ToolLooks, known?: Foreground): Foreground {
  if (pane.dead) return GONE;
  try {
    return lookAt(pane, looks, known);
  } catch {
    return { kind: 'unknown', tool: known?.tool, programs: [] };
  }
}

function lookAt(pane: Pane, looks: ToolLooks, known: Foreground | undefined): Foreground {
  if (!pidExists(pane.pid)) return GONE;
  const root = processStatus(pane.pid);
  if (!root) return byCommandName(pane, looks);
  const group = root.foregroundGroup;
  if (known?.kind === 'tool' && known.tool && isStillIn(known.tool, group)) return known;
  const members = membersOf(group, pane.pid);
  const pids = members.length > 0 ? looks.pids() : [];
  const tool = members.find((member) => pids.includes(member.pid) || isTool(member, looks));
  const programs = members.map(({ words, command }) => path.basename(words[0] ?? command));
  if (tool) {
    const identity = { pid: tool.pid, startTicks: tool.startTicks, bootId: bootId() };
    return { kind: 'tool', tool: identity, programs };
  }
  if (members.length === 0) return { kind: 'unknown', tool: undefined, programs };
  return { kind: members.every(isShellProcess) ? 'shell' : 'other', tool: undefined, programs };
}

interface Member {
  pid: number;
  command: string;
  words: string[];
  startTicks: number;
}

function isStillIn(tool: ProcessIdentity, group: number): boolean {
  const status = processStatus(tool.pid);
  return (
    status?.state === 'running' && status.startTicks === tool.startTicks && status.processGroup === group
  );
}

/** Processes of the group among the pane's process and its descendants, outermost first. */
function membersOf(group: number, root: number): Member[] {
  const found: Member[] = [];
  let layer = [root];
  for (let seen = 0; layer.length > 0 && seen < MAX_PROCESSES; seen += layer.length) {
    for (const pid of layer) {
      const status = processStatus(pid);
      if (status?.processGroup !== group || status.state !== 'running') continue;
      found.push({ pid, command: status.command, startTicks: status.startTicks, words: commandLineOf(pid) });
    }
    layer = layer.flatMap(childrenOf);
  }
  return found;
}

function isTool(member: Member, { names, launched }: ToolLooks): boolean {
  if (launched.length > 0 && launched.every((word, at) => member.words[at] === word)) return true;
  return namesOf(member).some((name) => names.includes(name));
}

function isShellProcess({ command, words }: Member): boolean {
  return isShell(words[0] ?? command) || isShell(command);
}

/** If the system does not show it, only the name that tmux reports is left, and the program itself chose that. */
function byCommandName(pane: Pane, { names }: ToolLooks): Foreground {
  const name = bareName(pane.currentCommand);
  const programs = [name];
  if (names.includes(name)) {
    return { kind: 'tool', tool: { pid: pane.pid, startTicks: null, bootId: null }, programs };
  }
  return { kind: isShell(name) ? 'shell' : 'unknown', tool: undefined, programs };
}

/** The first words of the launch plan, which identify a tool without a name of its own. */
export function launchedWords(executable: string | null | undefined, args: readonly string[] = []): string[] {
  if (!executable) return [];
  const first = args[0];
  return isInterpreter(executable) && first !== undefined ? [executable, first] : [executable];
}

export function launchedName(executable: string | null | undefined): string[] {
  const name = executable ? bareName(executable) : '';
  return name === '' || isInterpreter(name) || isShell(name) ? [] : [name];
}
