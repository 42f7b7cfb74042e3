import {
  crashPoint,
  isRouseError,
  messageOf,
  newUuid,
  systemClock,
  utcSeconds,
} from '../../../base/index.ts';
import type { FlatFile, FlatFileOptions } from '../flat-file.ts';
import { contentHash } from '../format/block.ts';
import { type FlatMessage, statusOf } from '../format/envelope.ts';
import type { HoldOptions } from '../store/hold-lock.ts';
import { oneLine, undeliverableNotice } from './relay-notice.ts';
import { openStops, type RelayDirectory, type Routes, type Stop } from './relay-stops.ts';

export interface RelayOptions extends HoldOptions, FlatFileOptions {
  /** Written into relayed-by. */
  by?: string | undefined;
  /** Reports what would happen and changes nothing. */
  dryRun?: boolean | undefined;
  /** Carry only the outbox of the first directory. */
  firstOnly?: boolean | undefined;
  /** Leave mail to unknown addresses pending, for a relay that knows more directories. */
  keepUnknown?: boolean | undefined;
}

/** One message. Without id and recipient: an outbox that could not be processed. */
export interface RelayItem {
  msg_id: string | null;
  from: string;
  to: string;
  /** waiting: it could not be delivered now and stays pending. */
  outcome: 'dispatched' | 'undeliverable' | 'waiting';
  reason: string | null;
}

/**
 * Carries pending outbox messages into the inboxes of these directories, and nowhere else. Each message keeps its
 * msg-id from end to end: the attempt (and an id if there was none) is written into the outbox first, then the message
 * is delivered, then marked. A crash between two steps repeats the rest, and the id makes that harmless. An
 * undeliverable message is marked with the reason, and its sender gets a notice.
 */
export async function relay(
  directories: readonly RelayDirectory[],
  options: RelayOptions = {},
): Promise<RelayItem[]> {
  const { stops, routes } = openStops(directories, options);
  const items: RelayItem[] = [];
  for (const stop of options.firstOnly ? stops.slice(0, 1) : stops)
    items.push(...(await relayOutbox(stop, routes, options).catch((error) => [stuck(stop, error)])));
  return items;
}

/** An outbox that cannot be used now does not stop the others. */
function stuck({ name }: Stop, error: unknown): RelayItem {
  if (!isRouseError(error)) throw error;
  return { msg_id: null, from: name, to: '', outcome: 'waiting', reason: messageOf(error) };
}

async function relayOutbox(stop: Stop, routes: Routes, options: RelayOptions): Promise<RelayItem[]> {
  const step = options.step ?? crashPoint;
  const pending = options.dryRun ? peekPending(stop) : await claimPending(stop, routes, options);
  const items: RelayItem[] = [];
  const results = new Map<string, RelayItem>();
  for (const { item, message } of await Promise.all(
    // Oldest first, so that the newest ends on top.
    pending
      .reverse()
      .map(async (message) => ({ message, item: await deliver(stop, message, { routes, options }) })),
  )) {
    items.push(item);
    results.set(keyOf(message), item);
  }
  step('flatfile.relay.delivered');
  if (!options.dryRun) await markAll(stop, results, options);
  return items;
}

const keyOf = (message: FlatMessage): string => `${message.fields.get('msg-id')}\n${contentHash(message)}`;
const isPending = (fields: ReadonlyMap<string, string>): boolean => statusOf(fields) === 'pending';

const namesOf = (fields: ReadonlyMap<string, string>): string[] =>
  (fields.get('to') ?? '').split(',').map((name) => name.trim());

function peekPending({ outbox }: Stop): FlatMessage[] {
  return outbox()
    .list({ where: isPending, includeBody: true })
    .entries.map(({ fields, body = '' }) => ({ fields, body }));
}

/** Writes the intent: one more attempt, and an id that stays. Returns the messages as they are now, newest first. */
async function claimPending({ outbox }: Stop, routes: Routes, options: RelayOptions): Promise<FlatMessage[]> {
  const mine = (fields: ReadonlyMap<string, string>): boolean =>
    isPending(fields) && (!options.keepUnknown || namesOf(fields).every((name) => routes.has(name)));
  if (outbox().list({ where: mine, limit: 1 }).entries.length === 0) return [];
  let claimed: FlatMessage[] = [];
  const plan = {
    name: 'relay.intent',
    begin: () => {
      claimed = [];
    },
    edit: (found: {
      fields: ReadonlyMap<string, string>;
      id: string | undefined;
      read: () => FlatMessage;
    }) => {
      if (!mine(found.fields)) return undefined;
      const changes = new Map([['attempts', String((Number(found.fields.get('attempts')) || 0) + 1)]]);
      if (found.id === undefined) changes.set('msg-id', `msg-${newUuid()}`);
      const { fields, body } = found.read();
      claimed.push({ fields: new Map([...fields, ...changes]), body });
      return changes;
    },
  };
  await outbox().edit(plan, options);
  return claimed;
}

async function deliver(
  stop: Stop,
  message: FlatMessage,
  { routes, options }: { routes: Routes; options: RelayOptions },
): Promise<RelayItem> {
  const to = message.fields.get('to') ?? '';
  const item = { msg_id: message.fields.get('msg-id') ?? null, from: stop.name, to };
  const names = namesOf(message.fields);
  const unknown = names.filter((name) => !routes.has(name));
  if (unknown.length > 0) {
    return { ...item, outcome: 'undeliverable', reason: `no directory for ${unknown.join(', ')}` };
  }
  const copy = relayed(stop, message, options);
  const failures: Failure[] = [];
  for (const target of new Set(names.map((name) => routes.get(name)!))) {
    const failed = await deliverTo(target, copy, options);
    if (failed) failures.push(failed);
  }
  if (failures.length === 0) return { ...item, outcome: 'dispatched', reason: null };
  const outcome = failures.every(({ final }) => final) ? 'undeliverable' : 'waiting';
  return { ...item, outcome, reason: failures.map(({ reason }) => reason).join('; ') };
}

interface Failure {
  reason: string;
  /** The message itself is at fault, so a retry is useless. */
  final: boolean;
}

/** Each recipient is independent: one that cannot receive does not hold up the others. */
async function deliverTo(
  target: Stop,
  copy: FlatMessage,
  options: RelayOptions,
): Promise<Failure | undefined> {
  let inbox: FlatFile;
  try {
    inbox = target.inbox();
  } catch (error) {
    return { reason: messageOf(error), final: false };
  }
  if (options.dryRun) return undefined;
  try {
    await inbox.prepend(copy, options);
    return undefined;
  } catch (error) {
    const final = isRouseError(error) && (error.code === 'conflict' || error.code === 'invalid');
    return { reason: messageOf(error), final };
  }
}

/** The copy for the inbox: the same message, pending there, with its route. */
function relayed(
  stop: Stop,
  { fields, body }: FlatMessage,
  { by = 'rouse', clock = systemClock }: RelayOptions,
): FlatMessage {
  const copy = new Map(fields);
  copy.delete('attempts');
  copy.set('status', 'pending');
  copy.set('relayed-by', by);
  copy.set('relayed-at', utcSeconds(clock.now()));
  copy.set('relayed-from', stop.name);
  return { fields: copy, body };
}

/** Notifies the sender first, then marks. After a crash in between, the notice is recognised by its id. */
async function markAll(
  stop: Stop,
  results: ReadonlyMap<string, RelayItem>,
  options: RelayOptions,
): Promise<void> {
  for (const item of results.values()) {
    if (item.outcome === 'undeliverable') await notifySender(stop, item, options);
  }
  if ([...results.values()].every(({ outcome }) => outcome === 'waiting')) return;
  const at = utcSeconds((options.clock ?? systemClock).now());
  await stop.outbox().edit(
    {
      name: 'relay.mark',
      edit(found) {
        if (!isPending(found.fields)) return undefined;
        const item = results.get(keyOf(found.read()));
        if (!item || item.outcome === 'waiting') return undefined;
        return item.outcome === 'dispatched'
          ? new Map([
              ['status', 'dispatched'],
              ['dispatched-at', at],
            ])
          : new Map([
              ['status', 'undeliverable'],
              ['undeliverable-reason', oneLine(item.reason)],
            ]);
      },
    },
    options,
  );
}

/** If the sender cannot be notified now, the next relay does it. The message stays pending until then. */
async function notifySender(stop: Stop, item: RelayItem, options: RelayOptions): Promise<void> {
  try {
    await stop.inbox().prepend(undeliverableNotice(stop.name, item), options);
  } catch (error) {
    item.outcome = 'waiting';
    item.reason = `${item.reason}; its sender could not be notified: ${messageOf(error)}`;
  }
}
