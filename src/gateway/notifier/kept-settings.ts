import { readIfExists } from '../../base/index.ts';
import { NO_WAKES, type WakeValues, wakeValuesOf } from '../../domain/index.ts';
import { mailNotifierBody } from '../../wire/index.ts';
import type { NotifierRecord } from './notifier-store.ts';

/** How the agent is woken, as last set by a person. */
type Wakes = WakeValues & Pick<NotifierRecord, 'enabled'>;

/** kept.json. `wakes` is null until they are first turned on or off. */
export interface KeptSettings {
  schema_version: 1;
  wakes: Wakes | null;
}

export function keptSettings(record: NotifierRecord, isSet: boolean): KeptSettings {
  const wakes = { enabled: record.enabled, ...wakeValuesOf(record) };
  return { schema_version: 1, wakes: isSet ? wakes : null };
}

/** Reads the valid settings: those that no gateway would accept count as missing. */
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
