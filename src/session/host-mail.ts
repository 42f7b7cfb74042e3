import * as fs from 'node:fs';
import { messageOf, notFound, unavailable } from '../base/index.ts';
import { fleetMail } from '../client/index.ts';
import { agentAddress, canonicalAddress, OPERATOR } from '../domain/index.ts';
import {
  type Mailbox,
  type MailboxBinding,
  type MailStore,
  type MailSurroundings,
  openMailbox,
} from '../mail/index.ts';
import type { MailReceipt, PageMailboxes } from '../wire/index.ts';
import { type AllMail, type AllMailQuery, allMail, type MailSources } from './all-mail/all-mail.ts';
import { type ConversationList, type ConversationsQuery, conversations } from './all-mail/conversations.ts';
import { nameOnMachine } from './called.ts';
import { receiptsIn } from './receipts.ts';
import { mailboxOf } from './records/manifest-facts.ts';
import type { RosterPlace } from './roster.ts';
import type { SessionContext } from './session-context.ts';

const BOXES = ['inbox', 'sent', 'archive'];

/** An agent of the host as mail sees it: its name, and its binding if that is outside the host's own store. */
export interface MailAgents {
  name: string;
  place: RosterPlace;
}

export interface HostMailParts {
  /** Undefined: the host has no agents and no mail. */
  session: SessionContext | undefined;
  /** Opens the mail store of a root for as long as `work` runs. */
  openStore: <T>(root: string, work: (store: MailStore) => Promise<T> | T) => Promise<T>;
  agents: () => Promise<MailAgents[]>;
}

/** Whether the gateway of an agent announced a message with a wake that was proven. */
export type IsAnnounced = (place: RosterPlace, messageRef: string) => boolean;

interface MessageReceipts {
  ref: string;
  receipts: MailReceipt[];
}

/** As many messages as the page shows of a thread. */
const MAX_THREAD = 200;

/** Every mailbox of the host: those of its mail store, and those that agents keep in other stores. */
export class HostMail implements MailSources {
  readonly #parts: HostMailParts;

  constructor(parts: HostMailParts) {
    this.#parts = parts;
  }

  /** Undefined if the store does not exist yet: it has no mail. */
  async withStore<T>(work: (store: MailStore) => Promise<T> | T): Promise<T | undefined> {
    const { session, openStore } = this.#parts;
    if (!session || !fs.existsSync(session.settings.mailboxDir)) return undefined;
    return openStore(session.settings.mailboxDir, work);
  }

  /** The mail of every mailbox of the host, newest first, each message once. */
  all(wanted: AllMailQuery): Promise<AllMail> {
    return allMail(this, wanted);
  }

  /** How many messages each address received, by cell of that time; of the host's own store. */
  async received(time: Parameters<MailStore['received']>[0]): Promise<Map<string, [number, number][]>> {
    return (await this.withStore((store) => store.received(time))) ?? new Map();
  }

  /** How many of these messages the mailbox has handled: read, answered or archived. */
  async handled(address: string, refs: readonly string[]): Promise<number> {
    return (await this.withStore((store) => store.handled(address, refs))) ?? 0;
  }

  /** Its conversations, one row each, newest first. */
  conversations(wanted: ConversationsQuery): Promise<ConversationList> {
    return conversations(this, wanted);
  }

  /** The receipts of a thread in the host's own store, by message; empty for other stores, which know none. */
  async receipts(id: string, thread: string, isAnnounced: IsAnnounced): Promise<MessageReceipts[]> {
    if ((await this.outsideIds()).includes(id)) return [];
    const agents = await this.#parts.agents();
    const at = new Map(agents.map((each) => [String(bindingOf(each.place)?.address ?? ''), each]));
    const found = await this.withStore((store) => store.thread(id, thread, MAX_THREAD));
    return (found ?? []).map((each) => ({
      ref: each.message.message_ref,
      receipts: receiptsIn(each, (address) => {
        const agent = at.get(address);
        return agent && { agent: agent.name, isAnnounced: (ref) => isAnnounced(agent.place, ref) };
      }),
    }));
  }

  async operatorUnread(): Promise<number> {
    return (await this.withStore((store) => unreadIn(store.mailbox(OPERATOR.address)))) ?? 0;
  }

  async list(): Promise<PageMailboxes> {
    const agents = await this.#parts.agents();
    const owner = new Map(agents.map(({ name, place }) => [String(bindingOf(place)?.address ?? ''), name]));
    const stored =
      (await this.withStore((store) =>
        Promise.all(
          store
            .registrations()
            .filter(({ status }) => status === 'active')
            .map(async ({ address, display_name }) => ({
              id: address,
              address,
              display_name: display_name ?? null,
              agent: owner.get(address) ?? null,
              operator: address === OPERATOR.address,
              unread: await unreadIn(store.mailbox(address)),
              boxes: BOXES,
              trouble: null,
            })),
        ),
      )) ?? [];
    const elsewhere = await Promise.all(agents.map((each) => this.#outside(each)));
    const mailboxes = [...stored, ...elsewhere.flat()].sort(
      (a, b) => Number(b.operator) - Number(a.operator) || a.address.localeCompare(b.address),
    );
    return { mailboxes };
  }

  /** Ids of the mailboxes that are not in the host's own store. */
  async outsideIds(): Promise<string[]> {
    return (await this.#parts.agents()).flatMap((each) => this.#outsideId(each) ?? []);
  }

  get #surroundings(): MailSurroundings {
    return { clock: this.#parts.session!.clock, connectFleet: fleetMail };
  }

  /** Runs work on one mailbox; `store` is set if the mailbox is in the host's own store. */
  async open<T>(
    id: string,
    work: (mailbox: Mailbox, store: MailStore | undefined) => Promise<T>,
  ): Promise<T> {
    const outside = (await this.#parts.agents()).find((each) => this.#outsideId(each) === id);
    if (outside) {
      const opened = await openMailbox(bindingOf(outside.place)!, this.#surroundings);
      try {
        return await work(opened.mailbox, undefined);
      } finally {
        await opened.close();
      }
    }
    const done = await this.withStore(async (store) => {
      if (!store.registrations(id).some(({ status }) => status === 'active')) throw unknown(id);
      return { result: await work(store.mailbox(id), store) };
    });
    if (!done) throw unknown(id);
    return done.result;
  }

  /** Runs with the operator's own mailbox, which sends. */
  async asOperator<T>(work: (mailbox: Mailbox, store: MailStore) => Promise<T>): Promise<T> {
    const done = await this.withStore(async (store) => ({
      result: await work(store.mailbox(OPERATOR.address), store),
    }));
    if (done) return done.result;
    throw unavailable('this host has no mail store yet', { hint: '"rouse mailbox init" makes one' });
  }

  /** An address, or the name of an agent: the one on the machine, or one like `app/ana`. */
  async addressOf(to: string): Promise<{ address: string; outside: string | undefined }> {
    const agents = await this.#parts.agents();
    const { session } = this.#parts;
    const meant = session && !to.includes('@') ? nameOnMachine(session, to) : to;
    const known = agents.find(
      ({ name, place }) => name === meant || bindingOf(place)?.address === canonicalAddress(meant),
    );
    const address = String(
      (known && bindingOf(known.place)?.address) ?? (meant.includes('@') ? meant : agentAddress(meant)),
    );
    return { address, outside: known && this.#outsideId(known) };
  }

  #outsideId({ place }: MailAgents): string | undefined {
    const binding = bindingOf(place);
    if (!binding || !this.#parts.session) return undefined;
    const { transport, address } = binding;
    const own =
      transport === 'filesystem' && binding['filesystem_root'] === this.#parts.session.settings.mailboxDir;
    return own ? undefined : `${transport}:${address}`;
  }

  async #outside(agent: MailAgents): Promise<PageMailboxes['mailboxes']> {
    const id = this.#outsideId(agent);
    const binding = bindingOf(agent.place);
    if (id === undefined || !binding) return [];
    const known = { id, address: binding.address, display_name: null, agent: agent.name, operator: false };
    try {
      const opened = await openMailbox(binding, this.#surroundings);
      try {
        const { sent_box } = opened.mailbox.capabilities;
        const boxes = BOXES.filter((box) => sent_box || box !== 'sent');
        return [{ ...known, unread: await unreadIn(opened.mailbox), boxes, trouble: null }];
      } finally {
        await opened.close();
      }
    } catch (error) {
      return [{ ...known, unread: null, boxes: [], trouble: messageOf(error) }];
    }
  }
}

const unreadIn = async (mailbox: Mailbox): Promise<number> =>
  (await mailbox.count({ box: 'inbox', read_state: 'unread' })).message_count;

function bindingOf({ facts }: RosterPlace): MailboxBinding | undefined {
  const binding = mailboxOf(facts) as MailboxBinding | undefined;
  return typeof binding?.address === 'string' ? binding : undefined;
}

function unknown(id: string): Error {
  return notFound(`there is no mailbox ${id}`, { hint: 'GET mailboxes lists them' });
}
