import { isProcessAlive, readIfExists } from '../../base/index.ts';
import { type AgentNeed, commandIn, needKind, type Standing, type StandingNeed } from '../../domain/index.ts';
import type { GlanceFile } from '../../wire/index.ts';
import type { SessionPaths } from './session-paths.ts';

type GlancePath = Pick<SessionPaths, 'glance'>;

/** What the session's gateway last wrote of its agent; undefined when nobody runs who would have changed it since. */
export function readGlance(paths: GlancePath): GlanceFile | undefined {
  const file = readFile(paths);
  return file?.written_by && isProcessAlive(file.written_by) ? file : undefined;
}

/** Deliveries that ended badly: they did, also when the gateway that wrote it has ended. */
export function readUndelivered(paths: GlancePath): AgentNeed[] {
  return readFile(paths)?.undelivered ?? [];
}

function readFile({ glance }: GlancePath): GlanceFile | undefined {
  try {
    const file = JSON.parse(readIfExists(glance) ?? 'null') as GlanceFile | null;
    if (file?.schema_version !== 1) return undefined;
    if (typeof file.standing?.state !== 'string' || typeof file.wakes?.on !== 'boolean') return undefined;
    const need = knownNeed(file.standing);
    const standing = { ...file.standing, ...(need && { need }) };
    const undelivered = file.undelivered?.map((each) => ({ ...each, kind: needKind(each.kind) }));
    return { ...file, standing, ...(undelivered && { undelivered }) };
  } catch {
    return undefined;
  }
}

/** An older gateway says only that somebody is needed. */
function knownNeed({ need, needs_you }: Standing): StandingNeed | undefined {
  if (need) return { ...need, kind: needKind(need.kind) };
  if (needs_you === null) return undefined;
  const command = commandIn(needs_you);
  return { kind: 'other', ...(command !== undefined && { command }) };
}
