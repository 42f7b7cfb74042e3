import * as path from 'node:path';
import { DirectoryWatches, notFound } from '../base/index.ts';
import type { AwaitedReceipt, MailMessage, ReceiptStage } from '../domain/index.ts';
import { type GatewayRecords, openGatewayRecords } from '../gateway/offline.ts';
import { type MailStore, openMailStore, type ThreadMessage } from '../mail/index.ts';
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
    const agentAt = (address: string): AnnouncingAgent | undefined => {
      const place = places.get(address);
      return place && { agent: place.agent, isAnnounced: (ref) => isAnnounced(place.paths, ref) };
    };
    return new Map(
      refs.flatMap((ref) => {
        const found = heldIn(store, ref);
        return found ? [[ref, receiptsIn(found, agentAt)] as const] : [];
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

function heldIn(store: MailStore, ref: string): ThreadMessage | undefined {
  const thread = store.document(ref.replace(/^\w+:/, ''))?.thread_id;
  if (thread === undefined) return undefined;
  const all = store.thread('', `filesystem:${thread}`, MAX_THREAD);
  return all.find(({ message }) => message.message_ref === ref);
}

/** The agent at an address, and whether its gateway announced a message. */
export interface AnnouncingAgent {
  agent: string;
  isAnnounced: (messageRef: string) => boolean;
}

/** The receipts of one message, from the rows of those who received it. */
export function receiptsIn(
  { message, held }: ThreadMessage,
  agentAt: (address: string) => AnnouncingAgent | undefined,
): MailReceipt[] {
  return recipientsOf(message).flatMap((address) => {
    const own = held.find((each) => each.address === address && each.box !== 'sent');
    if (!own) return [];
    const agent = agentAt(address);
    const announced = agent?.isAnnounced(message.message_ref) ?? false;
    const { read, answered, box } = own;
    const state = { announced, read, answered, archived: box === 'archive' };
    return [{ address, agent: agent?.agent ?? null, stage: furthest(state), ...state }];
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

/** A queue that cannot be read announces nothing. */
function isAnnounced({ gateway }: SessionPaths, messageRef: string): boolean {
  try {
    const records = openGatewayRecords(gateway);
    try {
      return announcedIn(records, messageRef);
    } finally {
      records.close();
    }
  } catch {
    return false;
  }
}

/** Only a wake that was proven to be submitted announces. */
export function announcedIn(records: GatewayRecords, messageRef: string): boolean {
  const request = records.announcedBy(messageRef);
  return request !== undefined && records.request(request).outcome === 'submitted';
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
