import * as path from 'node:path';
import { DirectoryWatches, notFound } from '../base/index.ts';
import type { AwaitedReceipt, MailMessage, ReceiptStage } from '../domain/index.ts';
import { openGatewayRecords } from '../gateway/offline.ts';
import { type MailStore, openMailStore } from '../mail/index.ts';
import type { MailReceipt } from '../wire/index.ts';
import { tryManifestFacts } from './records/manifest-facts.ts';
import { readRegistry } from './records/registry-read.ts';
import { type SessionPaths, sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';

const MAX_THREAD = 1000;

/**
 * The receipts of messages in the home's own mail store, from the reader's own row and the ledger of the gateway that
 * announced it. Recipients whose mailbox is elsewhere are left out: nothing about them is known here. Messages that are
 * not in the store have no entry.
 */
export async function receiptsOfEach(
  context: SessionContext,
  refs: readonly string[],
): Promise<Map<string, MailReceipt[]>> {
  const { settings, clock } = context;
  const store = openMailStore({ root: settings.mailboxDir, clock });
  try {
    const places = gatewaysByAddress(context);
    return new Map(
      refs.flatMap((ref) => {
        const found = heldIn(store, ref);
        return found ? [[ref, receiptsFrom(found, places)] as const] : [];
      }),
    );
  } finally {
    await store.close();
  }
}

/** The receipts of one message, which must be in the home's own mail store. */
export async function receiptsOf(context: SessionContext, messageRef: string): Promise<MailReceipt[]> {
  const receipts = (await receiptsOfEach(context, [messageRef])).get(messageRef);
  if (receipts) return receipts;
  throw notFound(`there is no message ${messageRef} in the mail store of this home`, {
    hint: 'receipts are known only for mail between mailboxes of this home',
  });
}

type Found = ReturnType<MailStore['thread']>[number];

function heldIn(store: MailStore, ref: string): Found | undefined {
  const thread = store.document(ref.replace(/^\w+:/, ''))?.thread_id;
  if (thread === undefined) return undefined;
  const all = store.thread('', `filesystem:${thread}`, MAX_THREAD);
  return all.find(({ message }) => message.message_ref === ref);
}

function receiptsFrom({ message, held }: Found, places: Map<string, Place>): MailReceipt[] {
  return recipientsOf(message).flatMap((address) => {
    const own = held.find((each) => each.address === address && each.box !== 'sent');
    if (!own) return [];
    const place = places.get(address);
    const announced = place !== undefined && isAnnounced(place.paths, message.message_ref);
    const state = { announced, read: own.read, answered: own.answered, archived: own.box === 'archive' };
    return [{ address, agent: place?.agent ?? null, stage: furthest(state), ...state }];
  });
}

const recipientsOf = ({ to, cc }: MailMessage): string[] => [
  ...new Set([...to, ...cc].map(({ address }) => address)),
];

const furthest = (state: Omit<MailReceipt, 'address' | 'agent' | 'stage'>): ReceiptStage =>
  state.answered
    ? 'answered'
    : state.archived
      ? 'archived'
      : state.read
        ? 'read'
        : state.announced
          ? 'announced'
          : 'stored';

interface Place {
  agent: string;
  paths: SessionPaths;
}

function gatewaysByAddress({ settings, clock }: SessionContext): Map<string, Place> {
  const { fresh, expired } = readRegistry(settings.registryDir, clock.now().getTime());
  const found = new Map<string, Place>();
  for (const { agent_name: agent, mailbox, runtime } of [...expired, ...fresh]) {
    const address = mailbox?.address;
    const facts = typeof address === 'string' ? tryManifestFacts(runtime.manifest_path) : undefined;
    if (facts) found.set(String(address), { agent, paths: sessionPaths(facts.root) });
  }
  return found;
}

/** Only a wake that was proven to be submitted announces. A queue that cannot be read announces nothing. */
function isAnnounced({ gateway }: SessionPaths, messageRef: string): boolean {
  try {
    const records = openGatewayRecords(gateway);
    try {
      const request = records.announcedBy(messageRef);
      return request !== undefined && records.request(request).outcome === 'submitted';
    } finally {
      records.close();
    }
  } catch {
    return false;
  }
}

/** Later stages include earlier ones, except that nothing but the reader's own mark makes a message read. */
export function hasReached(
  { announced, read, answered, archived }: MailReceipt,
  stage: AwaitedReceipt,
): boolean {
  if (stage === 'answered') return answered;
  if (stage === 'read') return read;
  return announced || read || answered || archived;
}

/** Calls back after anything that may have changed a receipt. Returns what ends it. */
export function followReceipts(context: SessionContext, changed: () => void): () => void {
  const watches = new DirectoryWatches();
  const wanted = [...gatewaysByAddress(context).values()].map(({ paths }) => paths.gateway);
  wanted.push(path.join(context.settings.mailboxDir, 'signals'));
  watches.set(new Map(wanted.map((directory) => [directory, changed])));
  return () => watches.close();
}
