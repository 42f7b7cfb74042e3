import { type Clock, invalid } from '../../base/index.ts';
import { CaoClient, caoAddress } from '../../cao/index.ts';
import type { SurfaceManifest } from '../surface-manifest.ts';
import { CaoOwner } from './cao-owner.ts';

/** The CAO server that the manifest names; undefined for a terminal of our own. */
export function caoOwnerOf(
  { cao }: SurfaceManifest,
  { clock, env }: { clock: Clock; env: NodeJS.ProcessEnv },
): CaoOwner | undefined {
  if (!cao) return undefined;
  const { api_base_url, session_name: session, terminal_id: terminalId, tmux_window_name } = cao;
  const window = tmux_window_name;
  if (!window) throw invalid('the manifest names no tmux window of the CAO terminal, and none is guessed');
  const allowed = (env['ROUSE_CAO_HOSTS'] ?? '').split(',').filter(Boolean);
  const client = new CaoClient(caoAddress(api_base_url, allowed));
  return new CaoOwner({ client, terminalId, place: { session, window }, clock });
}
