import { readIfExists } from '../../base/index.ts';
import { NO_WAKES, type WakeValues, wakeValuesOf } from '../../domain/index.ts';
import { mailNotifierBody } from '../../wire/index.ts';
import type { NotifierRecord } from './notifier-store.ts';

/** How the agent is woken, as the last person set it. */
type Wakes = WakeValues & Pick<NotifierRecord, 'enabled'>;

/** kept.json. `wakes` is null while nobody has turned them on or off. */
export interface KeptSettings {
  schema_version: 1;
  wakes: Wakes | null;
}

export function keptSettings(record: NotifierRecord, isSet: boolean): KeptSettings {
  const wakes = { enabled: record.enabled, ...wakeValuesOf(record) };
  return { schema_version: 1, wakes: isSet ? wakes : null };
}

/** What of it holds: settings that no gateway would take are as good as none. */
export function readKept(file: string): Partial<NotifierRecord> | undefined {
  try {
    const { wakes } = JSON.parse(readIfExists(file) ?? '{}') as Partial<KeptSettings>;
    if (!wakes?.enabled) return undefined;
    const { schema_version: _, ...good } = mailNotifierBody.parse({
      schema_version: 1,
      ...wakeValuesOf(wakes),
    });
    return { ...NO_WAKES, ...good, enabled: true };
  } catch {
    return undefined;
  }
}
