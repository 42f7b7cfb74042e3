import { isProcessAlive, readIfExists } from '../../base/index.ts';
import type { GlanceFile } from '../../wire/index.ts';
import type { SessionPaths } from './session-paths.ts';

/** What the session's gateway last wrote of its agent; undefined when nobody runs who would have changed it since. */
export function readGlance({ glance }: Pick<SessionPaths, 'glance'>): GlanceFile | undefined {
  try {
    const file = JSON.parse(readIfExists(glance) ?? 'null') as GlanceFile | null;
    if (file?.schema_version !== 1 || !file.written_by || !isProcessAlive(file.written_by)) return undefined;
    return typeof file.standing?.state === 'string' && typeof file.wakes?.on === 'boolean' ? file : undefined;
  } catch {
    return undefined;
  }
}
