import type { BackendKind } from '../domain/index.ts';
import { parseSocket, type ServerAddress, SHARED_SOCKET } from '../tmux/index.ts';

type Text = string | null | undefined;

/** The parts of a session manifest a surface is opened from. */
export interface SurfaceManifest {
  tool: string;
  backend: BackendKind;
  working_directory?: Text;
  agent_name?: Text;
  agent_id?: Text;
  tmux_session_name?: Text;
  tmux?:
    | { session_name: string; primary_window_name?: Text; socket?: Text; agent_pane?: Text }
    | null
    | undefined;
  runtime?: { session_id?: Text; agent_pid?: number | null | undefined } | null | undefined;
  interactive?: { terminal_id?: Text } | null | undefined;
  /** Set for a terminal that a server owns. */
  cao?:
    | { api_base_url: string; session_name: string; terminal_id: string; tmux_window_name?: Text }
    | null
    | undefined;
  launch_plan: {
    executable?: Text;
    args?: string[] | undefined;
    home_selector?: { env_var?: Text; home_path?: Text } | null | undefined;
    metadata?: Record<string, unknown> | undefined;
  };
  launch_policy_provenance?: Record<string, unknown> | null | undefined;
}

/** The tmux server and session that the manifest records, never those in which this process happens to run. */
export function tmuxPlace(manifest: SurfaceManifest): {
  server: ServerAddress;
  session: string;
  pane: string | undefined;
} {
  const session = manifest.tmux?.session_name ?? manifest.tmux_session_name ?? '';
  const pane = manifest.tmux?.agent_pane ?? undefined;
  return { server: parseSocket(manifest.tmux?.socket ?? SHARED_SOCKET), session, pane };
}

/** One of our own launch facts: `launch_plan.metadata.rouse.<name>`. */
export function launchFact(manifest: SurfaceManifest, name: string): string | undefined {
  const own = manifest.launch_plan.metadata?.['rouse'];
  const value = own !== null && typeof own === 'object' ? (own as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function recordedVersion(manifest: SurfaceManifest): string | undefined {
  const version = manifest.launch_policy_provenance?.['detected_tool_version'];
  return typeof version === 'string' && version !== '' ? version : undefined;
}
