import { BACKEND } from '../wire/houmao/index.ts';

/** How an agent is run. */
export type BackendKind = (typeof BACKEND)[keyof typeof BACKEND];

/** How a prompt reaches the agent: typed into its screen, run as one process per turn here, or by the fleet server. */
export type DispatchMode = 'tui' | 'local_headless' | 'server_headless';

export interface BackendCapabilities {
  /** Lives in a tmux session, with window 0 as the agent's surface. */
  tmux: boolean;
  /** A gateway may be attached. */
  gateway: boolean;
  /** Raw keys may be sent through direct control. */
  sendKeys: boolean;
  /** Raw keys keep local tmux key semantics, as a send-keys reminder needs. */
  sendKeysReminders: boolean;
  /** The kind of server that owns the terminal, as people call it; null if the terminal is ours. */
  owner: string | null;
  /** Can be launched by this program; the others are recognised in manifests and refused. */
  launch: boolean;
}

const TUI: BackendCapabilities = {
  tmux: true,
  gateway: true,
  sendKeys: true,
  sendKeysReminders: true,
  owner: null,
  launch: true,
};
const HEADLESS: BackendCapabilities = { ...TUI, sendKeys: false, sendKeysReminders: false };
const NONE: BackendCapabilities = {
  tmux: false,
  gateway: false,
  sendKeys: false,
  sendKeysReminders: false,
  owner: null,
  launch: false,
};

export const CAPABILITIES: Record<BackendKind, BackendCapabilities> = {
  [BACKEND.terminal]: TUI,
  [BACKEND.claudeTurns]: HEADLESS,
  [BACKEND.codexTurns]: HEADLESS,
  [BACKEND.geminiTurns]: HEADLESS,
  [BACKEND.kimiTurns]: HEADLESS,
  [BACKEND.turns]: HEADLESS,
  [BACKEND.codexServer]: NONE,
  [BACKEND.cao]: { ...TUI, sendKeysReminders: false, launch: false, owner: 'CAO' },
  [BACKEND.server]: { ...TUI, sendKeysReminders: false },
};

export const BACKEND_KINDS = Object.values(BACKEND);

export function isBackendKind(text: string): text is BackendKind {
  return (BACKEND_KINDS as readonly string[]).includes(text);
}

export function isHeadless(backend: BackendKind): boolean {
  return backend.endsWith('_headless');
}

/** Decides between the two headless modes: the server runs the agent if these name a server and the agent there, and no definition directory. */
export interface DispatchFacts {
  managedApiBaseUrl?: string | null | undefined;
  managedAgentRef?: string | null | undefined;
  agentDefDir?: string | null | undefined;
}

/** The server that runs the turns of an agent, and the agent's name there. */
export interface ServingServer {
  baseUrl: string;
  agentRef: string;
}

/** Returns the dispatch mode of a backend, or undefined if no gateway can serve it. */
export function dispatchMode(backend: BackendKind, facts: DispatchFacts = {}): DispatchMode | undefined {
  if (backend === BACKEND.terminal || backend === BACKEND.cao || backend === BACKEND.server) return 'tui';
  if (!isHeadless(backend)) return undefined;
  const served = facts.managedApiBaseUrl && facts.managedAgentRef && !facts.agentDefDir;
  return served ? 'server_headless' : 'local_headless';
}

/** What this target supports, once its dispatch mode is known: an agent run by a server has no keys here. */
export function capabilitiesOf(backend: BackendKind, mode = dispatchMode(backend)): BackendCapabilities {
  const own = CAPABILITIES[backend];
  return mode === 'server_headless' ? { ...own, sendKeys: false, sendKeysReminders: false } : own;
}
