import { invalid, unsupported } from '../base/index.ts';
import type { BackendKind } from '../domain/index.ts';
import type { Owner, OwnerKind } from './owner.ts';
import * as list from './owner-list.ts';
import type { SurfaceManifest } from './surface-manifest.ts';

export type { OwnedTerminal, OwnerKind } from './owner.ts';

export const OWNERS: readonly OwnerKind[] = Object.values(list);

export function ownerKind(backend: BackendKind): OwnerKind {
  const kind = OWNERS.find((each) => each.backend === backend);
  if (!kind) throw unsupported(`agents of the backend ${backend} are not served here`);
  return kind;
}

/** The server that the manifest names as the owner of the terminal; undefined for a terminal of our own. */
export function ownerOf(
  { backend, cao: owned }: SurfaceManifest,
  on: Parameters<OwnerKind['open']>[1],
): Owner | undefined {
  if (!owned) return undefined;
  const { api_base_url: apiBaseUrl, session_name: session, terminal_id: terminalId } = owned;
  const windowName = owned.tmux_window_name;
  if (!windowName)
    throw invalid('the manifest names no tmux window of the owned terminal, and none is guessed');
  return ownerKind(backend).open({ apiBaseUrl, session, terminalId, windowName }, on);
}
