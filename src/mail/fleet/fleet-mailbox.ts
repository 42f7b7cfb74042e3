import { type Clock, utcSeconds, utcStamp } from '../../base/index.ts';
import {
  bodyPreview,
  type MailDraft,
  type MailMark,
  type MailMessage,
  type MailPost,
  type MailQuery,
  type MailReply,
  type MailSearch,
  makeMailRef,
  type NewAttachment,
  newMessageId,
} from '../../domain/index.ts';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import { type FileAccess, NO_FILE } from '../file-access.ts';
import { MailChecks } from '../mail-checks.ts';
import { MailboxWatches } from '../mailbox-watches.ts';
import { countPage } from '../page.ts';
import type { Mailbox, MailboxStatus, MailCounts, MailHint, MailPage, MailSent, MailStep } from '../port.ts';
import { checkOperation } from '../schema/index.ts';
import type { FleetMailServer } from '../transport.ts';
import { FLEET } from './binding.ts';
import { withFiles } from './download.ts';
import { askSurely, inDoubt, isAway } from './mail-server.ts';
import { type HeldFile, Outbox } from './outbox.ts';
import { describeFile, HeldSender } from './send-held.ts';
import { type InspectedFile, inspectFiles, upload } from './upload.ts';
import { versionNow, watchVersion } from './watch-mail.ts';

export interface FleetMailboxOptions {
  address: string;
  principal_id: string;
  server: FleetMailServer;
  clock: Clock;
  /** For waiting mail and received files. */
  directory: string;
}

interface Outgoing extends Record<string, unknown> {
  attachments: NewAttachment[];
  body_content: string;
}

/** A mailbox on a fleet server, behind the port. Each operation is one request to the server, which checks it again. */
export class FleetMailbox implements Mailbox {
  readonly transport = FLEET;
  readonly capabilities = ALL_CAPABILITIES;
  readonly address: string;
  readonly principal_id: string;
  readonly outbox: HeldSender;
  #server: FleetMailServer;
  #clock: Clock;
  #directory: string;
  #held: Outbox;
  #checks = new MailChecks(FLEET);
  #watches = new MailboxWatches();

  constructor({ address, principal_id, server, clock, directory }: FleetMailboxOptions) {
    this.address = address;
    this.principal_id = principal_id;
    this.#server = server;
    this.#clock = clock;
    this.#directory = directory;
    this.#held = new Outbox(directory);
    this.outbox = new HeldSender({ server, clock, outbox: this.#held });
  }

  async status(): Promise<MailboxStatus> {
    const { open_count, unread_count } = await this.#ask<MailCounts>('status', {});
    const { transport, principal_id, address } = this;
    const held = await this.outbox.list();
    const refused = held.filter(({ state }) => state === 'refused').length;
    const bad = this.#held.badCount;
    const warning = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
    return {
      transport,
      principal_id,
      address,
      location: this.#server.url,
      open_count,
      unread_count,
      set_aside_count: bad,
      warnings: [
        ...warning(held.length - refused, 'in the outbox, waiting for the server'),
        ...warning(refused, 'in the outbox, refused by the server; see "rouse agents mail outbox list"'),
        ...warning(bad, 'files of the outbox cannot be read'),
      ],
    };
  }

  version(): Promise<string> {
    return versionNow(this.#server);
  }

  async list(input: MailQuery = {}): Promise<MailPage> {
    return this.#pages('list', checkOperation('list', input));
  }

  async count(input: MailQuery = {}): Promise<MailCounts> {
    const body = checkOperation('list', input);
    return this.#ask('count', { body });
  }

  async search(input: MailSearch): Promise<MailPage> {
    return this.#ask('search', { body: checkOperation('search', input) });
  }

  peek(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    return this.#one('peek', messageRef, options);
  }

  read(messageRef: string, options: { box?: string | null } = {}): Promise<MailMessage> {
    return this.#one('read', messageRef, options);
  }

  async trail(messageRef: string, max: number): Promise<MailStep[]> {
    const body = { message_ref: this.#checks.id(messageRef), most: max };
    return (await this.#ask<{ steps: MailStep[] }>('trail', { body })).steps;
  }

  /** Waiting mail goes first, so that mail is sent in the order it was written. */
  async send(input: MailDraft, access = NO_FILE): Promise<MailSent> {
    const { hold, attachments, ...mail } = checkOperation('send', input);
    const files = await inspectFiles(attachments, access);
    const messageId = newMessageId(this.#clock.now());
    try {
      await this.outbox.flush();
      return await this.#deliver('send', mail, { files, messageId });
    } catch (error) {
      if (!hold || !isAway(error)) throw error;
      const at = utcStamp(this.#clock.now());
      const held = await this.outbox.hold({
        schema_version: 1,
        message_id: messageId,
        held_at_utc: at,
        mail,
        attachments: files,
        tried: inDoubt(error),
      });
      return { message: this.#heldView(held), duplicate: false, held: true };
    }
  }

  async post(input: MailPost, access = NO_FILE): Promise<MailSent> {
    return this.#composed('post', checkOperation('post', input), access);
  }

  async reply(input: MailReply, access = NO_FILE): Promise<MailSent> {
    const { id, reply } = this.#checks.reply(input);
    return this.#composed('reply', { ...reply, message_ref: id }, access);
  }

  async mark(input: MailMark): Promise<MailMessage[]> {
    const { ids, flags } = this.#checks.mark(input);
    return this.#many('mark', ids, flags);
  }

  async move(messageRefs: string[], destinationBox: string): Promise<MailMessage[]> {
    const { ids, box } = this.#checks.move(messageRefs, destinationBox);
    return this.#many('move', ids, { destination_box: box });
  }

  async archive(messageRefs: string[]): Promise<MailMessage[]> {
    return this.#many('archive', this.#checks.ids(messageRefs), {});
  }

  async watch(onChange: (hint: MailHint) => void): Promise<() => void> {
    const { address } = this;
    const on = { server: this.#server, clock: this.#clock };
    return this.#watches.add(await watchVersion(on, () => onChange({ address })));
  }

  async close(): Promise<void> {
    this.#watches.close();
  }

  #ask<T>(what: string, input: object): Promise<T> {
    return this.#server.ask<T>(what, input);
  }

  /** The server chooses its own page size. The requested page is assembled from those. */
  async #pages(what: string, query: MailQuery): Promise<MailPage> {
    const messages: MailMessage[] = [];
    let page: MailPage;
    let { cursor, limit } = query;
    do {
      page = await this.#ask<MailPage>(what, { body: { ...query, cursor, limit } });
      messages.push(...page.messages);
      cursor = page.next_cursor;
      if (limit != null) limit -= page.messages.length;
    } while (cursor !== null && (limit == null || limit > 0));
    return { ...page, messages, ...countPage(messages) };
  }

  async #one(what: 'peek' | 'read', ref: string, { box }: { box?: string | null }): Promise<MailMessage> {
    const body = { message_ref: this.#checks.id(ref), box };
    const { message } = await this.#ask<{ message: MailMessage }>(what, { body });
    return withFiles(this.#server, this.#directory, message);
  }

  async #many(what: string, ids: string[], change: object): Promise<MailMessage[]> {
    const body = { message_refs: ids, ...change };
    return (await this.#ask<{ messages: MailMessage[] }>(what, { body })).messages;
  }

  async #composed(
    what: 'post' | 'reply',
    { attachments, ...mail }: Outgoing,
    access: FileAccess,
  ): Promise<MailSent> {
    const files = await inspectFiles(attachments, access);
    return this.#deliver(what, mail, { files, messageId: newMessageId(this.#clock.now()) });
  }

  /** The id is made here, once, so that repeated requests are one message. */
  async #deliver(
    what: string,
    mail: object,
    { files, messageId }: { files: InspectedFile[]; messageId: string },
  ): Promise<MailSent> {
    for (const file of files) await upload(this.#server, file, file.bytes());
    const body = { ...mail, message_id: messageId, attachments: files.map(describeFile) };
    return askSurely<MailSent>(this.#server, what, body);
  }

  #heldView({ message_id, mail, held_at_utc, attachments }: HeldFile): MailMessage {
    const ref = makeMailRef(FLEET, message_id);
    const self = { address: this.address, principal_id: this.principal_id };
    return {
      message_ref: ref,
      thread_ref: ref,
      in_reply_to_ref: null,
      created_at_utc: utcSeconds(new Date(held_at_utc)),
      subject: mail.subject,
      read: true,
      answered: false,
      archived: false,
      unread: false,
      box: 'outbox',
      body_preview: bodyPreview(mail.body_content),
      body_text: mail.body_content,
      sender: self,
      to: mail.to.map((address) => ({ address })),
      cc: (mail.cc ?? []).map((address) => ({ address })),
      reply_to: [],
      attachments: attachments.map(({ path: locator, ...each }) => ({
        ...each,
        kind: 'transport_owned',
        locator,
      })),
    };
  }
}
