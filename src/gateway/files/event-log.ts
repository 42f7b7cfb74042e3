import { type Clock, type FileTroubles, stableLine, utcStamp } from '../../base/index.ts';
import type { FieldsOf, GatewayEventKind } from '../../wire/index.ts';
import { RotatingFile } from './rotating-file.ts';

export interface EventLog {
  write<K extends GatewayEventKind>(kind: K, fields: FieldsOf<K>): void;
  close(): void;
}

/** Two files of this size together hold some 20,000 events. */
const MAX_BYTES = 4 * 1024 * 1024;

/** events.jsonl: one object per line with sorted keys, a `kind` and a time. */
export function createEventLog(path: string, clock: Clock, troubles: FileTroubles): EventLog {
  const file = new RotatingFile(path, { maxBytes: MAX_BYTES, keep: 1, troubles });
  return {
    write: (kind, fields) =>
      file.append(`${stableLine({ ...fields, at_utc: utcStamp(clock.now()), kind })}\n`),
    close: () => file.close(),
  };
}
