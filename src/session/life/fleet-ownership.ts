import { randomHex } from '../../base/index.ts';
import { type BackendKind, isHeadless } from '../../domain/index.ts';
import type { SessionManifestInput } from '../../wire/index.ts';

/** The server that is to own a session. */
export interface ServerOwner {
  /** `http://127.0.0.1:9889`: where everybody on this host asks for it from now on. */
  apiBaseUrl: string;
}

/** The same as it stands in the manifest. */
export interface Ownership extends ServerOwner {
  /** The name of the tmux session: the one reference that leads nowhere else when it is stale. */
  agentRef: string;
  terminalId: string;
}

export function ownershipOf({ apiBaseUrl }: ServerOwner, tmuxSessionName: string): Ownership {
  return { apiBaseUrl, agentRef: tmuxSessionName, terminalId: randomHex(4) };
}

/** A terminal that a server owns is a backend of its own; a headless agent keeps the one of its tool. */
export function servedBackend(own: BackendKind): BackendKind {
  return isHeadless(own) ? own : 'houmao_server_rest';
}

type Authority = NonNullable<SessionManifestInput['gateway_authority']>['attach'];

/** Whom to ask, as a gateway and the command line read it. Without an owner: this host. */
export function authorityOf(owner: Ownership | undefined): Required<Authority> {
  return {
    api_base_url: owner?.apiBaseUrl ?? null,
    managed_agent_ref: owner?.agentRef ?? null,
    terminal_id: owner?.terminalId ?? null,
    profile_name: null,
    profile_path: null,
    parsing_mode: owner ? 'shadow_only' : null,
    tmux_window_name: owner ? 'agent' : null,
  };
}

/** The backend section of a terminal that a server owns. */
export function serverSection(
  owner: Ownership,
  tmuxSessionName: string,
): NonNullable<SessionManifestInput['houmao_server']> {
  return {
    api_base_url: owner.apiBaseUrl,
    session_name: tmuxSessionName,
    terminal_id: owner.terminalId,
    parsing_mode: 'shadow_only',
    tmux_window_name: 'agent',
    turn_index: 0,
  };
}
