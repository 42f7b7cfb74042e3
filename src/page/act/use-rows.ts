import { useMemo } from 'react';
import type { PageAgentRow } from '../../wire/index.ts';
import { usePicture } from '../live/live.ts';

/** The rows of these agents as they are now; those that are gone are left out. */
export function useRows(ids: readonly string[]): readonly PageAgentRow[] {
  const agents = usePicture((picture) => picture.agents);
  return useMemo(() => ids.flatMap((id) => agents?.get(id) ?? []), [agents, ids]);
}
