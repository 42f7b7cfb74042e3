/** How an agent is run. The names are those of manifests and session directories. */
export const BACKEND_KINDS = [
  'local_interactive',
  'claude_headless',
  'codex_headless',
  'gemini_headless',
  'kimi_headless',
  'generic_headless',
  'codex_app_server',
  'cao_rest',
  'houmao_server_rest',
] as const;

export type BackendKind = (typeof BACKEND_KINDS)[number];

/** How a prompt reaches the agent: typed into its screen, run as one process per turn here, or by the fleet server. */
export type DispatchMode = 'tui' | 'local_headless' | 'server_headless';

export interface BackendCapabilities {
  /** Lives in a tmux session, with window 0 as the agent's surface. */
  tmux: boolean;
  /** A gateway may be attached. */
  gateway: boolean;
  /** Raw keys may be asked for through direct control. */
  sendKeys: boolean;
  /** Raw keys keep local tmux key semantics, which a send-keys reminder needs. */
  sendKeysReminders: boolean;
  /** Can be launched by this program; the others are recognised in manifests and refused. */
  launch: boolean;
}

const TUI: BackendCapabilities = {
  tmux: true,
  gateway: true,
  sendKeys: true,
  sendKeysReminders: true,
  launch: true,
};
const HEADLESS: BackendCapabilities = { ...TUI, sendKeys: false, sendKeysReminders: false };
const NONE: BackendCapabilities = {
  tmux: false,
  gateway: false,
  sendKeys: false,
  sendKeysReminders: false,
  launch: false,
};

export const CAPABILITIES: Record<BackendKind, BackendCapabilities> = {
  local_interactive: TUI,
  claude_headless: HEADLESS,
  codex_headless: HEADLESS,
  gemini_headless: HEADLESS,
  kimi_headless: HEADLESS,
  generic_headless: HEADLESS,
  codex_app_server: NONE,
  cao_rest: { ...TUI, sendKeysReminders: false, launch: false },
  houmao_server_rest: { ...TUI, sendKeysReminders: false },
};

export function isBackendKind(text: string): text is BackendKind {
  return (BACKEND_KINDS as readonly string[]).includes(text);
}

export function isHeadless(backend: BackendKind): boolean {
  return backend.endsWith('_headless');
}

/** What decides between the two headless modes: a server's address, the agent's name there and no definition directory mean the server runs it. */
export interface DispatchFacts {
  managedApiBaseUrl?: string | null | undefined;
  managedAgentRef?: string | null | undefined;
  agentDefDir?: string | null | undefined;
}

/** The dispatch mode of a backend, or undefined when no gateway can serve it. */
export function dispatchMode(backend: BackendKind, facts: DispatchFacts = {}): DispatchMode | undefined {
  if (backend === 'local_interactive' || backend === 'cao_rest' || backend === 'houmao_server_rest')
    return 'tui';
  if (!isHeadless(backend)) return undefined;
  const served = facts.managedApiBaseUrl && facts.managedAgentRef && !facts.agentDefDir;
  return served ? 'server_headless' : 'local_headless';
}

/** What may be asked of this target, once its dispatch mode is known: a server-run agent has no keys here. */
export function capabilitiesOf(backend: BackendKind, mode = dispatchMode(backend)): BackendCapabilities {
  const own = CAPABILITIES[backend];
  return mode === 'server_headless' ? { ...own, sendKeys: false, sendKeysReminders: false } : own;
}
