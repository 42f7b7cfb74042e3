import { type Clock, commandLine, systemClock, unsupported } from '../../../base/index.ts';
import {
  ARCHIVE,
  boxOf,
  INBOX,
  type MailDraft,
  type MailMark,
  type MailMessage,
  type MailPost,
  type MailQuery,
  type MailReply,
  type MailSearch,
  OPERATOR,
  parseAddress,
  SENT,
} from '../../../domain/index.ts';
import { MailChecks } from '../../mail-checks.ts';
import { countPage, pageOf } from '../../page.ts';
import type {
  Mailbox,
  MailboxStatus,
  MailCapabilities,
  MailCounts,
  MailHint,
  MailPage,
  MailSent,
} from '../../port.ts';
import { checkOperation } from '../../schema/index.ts';
import { FLAT_FILE } from '../binding.ts';
import { statusOf } from '../format/envelope.ts';
import { networkWarning } from '../store/mailbox-path.ts';
import { isAnswered } from './flag-rules.ts';
import { FlatFileBoxes } from './flat-file-boxes.ts';
import { searchMessages, selectMessages } from './mail-select.ts';
import { listOf, viewMessage } from './message-view.ts';
import { Outgoing, replyTarget } from './outgoing.ts';

export interface FlatFileMailboxOptions {
  /** The directory that holds `.agent`, or `.agent` itself. Made if its parent exists. */
  directory: string;
  address: string;
  principal_id?: string | undefined;
  /**
   * Inboxes that this mailbox may write to: directory by address. Without it, mail waits in the outbox for a relay, and
   * a wrong recipient cannot be detected.
   */
  peers?: ReadonlyMap<string, string> | undefined;
  clock?: Clock | undefined;
}

const CAPABILITIES: MailCapabilities = {
  post: true,
  cc: false,
  attachments: false,
  sent_box: true,
  boxes: false,
  read_flag: true,
  answered_flag: false,
  unarchive: false,
  search: true,
};

/** Flat files behind the mailbox port. docs/flat-file.md has a table of how each flag and operation is expressed. */
export class FlatFileMailbox implements Mailbox {
  readonly transport = FLAT_FILE;
  readonly address: string;
  readonly principal_id: string;
  readonly capabilities = CAPABILITIES;
  #checks = new MailChecks(FLAT_FILE);
  #boxes: FlatFileBoxes;
  #outgoing: Outgoing;

  constructor({ directory, address, principal_id, peers, clock = systemClock }: FlatFileMailboxOptions) {
    this.address = parseAddress(address);
    this.principal_id = principal_id ?? address;
    this.#boxes = new FlatFileBoxes({ directory, address: this.address, clock });
    const { agent, outbox } = this.#boxes;
    this.#outgoing = new Outgoing({ address: this.address, agent, outbox, peers, clock });
  }

  async status(): Promise<MailboxStatus> {
    const { agent, inbox } = this.#boxes;
    const { exists, entries, damaged } = inbox.list();
    const { open_count, unread_count } = countPage(entries.map((entry) => viewMessage(entry, INBOX)));
    const { transport, address, principal_id } = this;
    const { mailbox: file } = inbox.paths;
    const torn = `${damaged} damaged envelopes: ${commandLine`rouse mailfile fsck --mailbox ${file}`}`;
    const warnings = [networkWarning(inbox.paths), damaged > 0 ? torn : undefined];
    return {
      transport,
      principal_id,
      address,
      location: exists ? file : agent,
      open_count,
      unread_count,
      set_aside_count: damaged,
      warnings: warnings.filter((text) => text !== undefined),
    };
  }

  async version(): Promise<string> {
    return this.#boxes.version();
  }

  async list(input: MailQuery = {}): Promise<MailPage> {
    const query = checkOperation('list', input);
    const box = boxOf(query);
    const { entries, more } = selectMessages(this.#boxes.byName, input, query.limit ?? undefined);
    const messages = entries.map((entry) => viewMessage(entry, box));
    return pageOf(box, { messages, nextCursor: more ? entries.at(-1)!.ref : null });
  }

  async count(input: MailQuery = {}): Promise<MailCounts> {
    const box = boxOf(checkOperation('list', input));
    return countPage(
      selectMessages(this.#boxes.byName, { ...input, cursor: null }).entries.map((entry) =>
        viewMessage(entry, box),
      ),
    );
  }

  async search(input: MailSearch): Promise<MailPage> {
    return pageOf(input.box ?? null, searchMessages(this.#boxes.byName, input));
  }

  async peek(ref: string, { box }: { box?: string | null } = {}): Promise<MailMessage> {
    return this.#boxes.find(this.#checks.id(ref), box);
  }

  async read(ref: string, { box }: { box?: string | null } = {}): Promise<MailMessage> {
    const id = this.#checks.id(ref);
    const message = this.#boxes.find(id, box);
    if (message.read) return message;
    await this.mark({ message_refs: [ref], read: true });
    return this.#boxes.find(id, box);
  }

  async send(input: MailDraft): Promise<MailSent> {
    const draft = checkOperation('send', input);
    const to = [...new Set(draft.to.map((address, i) => this.#outgoing.recipient(address, `to[${i}]`)))];
    if (draft.cc.length > 0) throw cannot('cc', 'name every recipient in to');
    refuseWait(draft);
    if (draft.attachments.length > 0) throw cannot('attachments', 'write the path into the body');
    return this.#send(
      { to: to.join(', '), re: draft.subject, 'msg-id': this.#outgoing.id('send', draft.idempotency_key) },
      draft.body_content,
    );
  }

  async post(input: MailPost): Promise<MailSent> {
    const post = checkOperation('post', input);
    refuseWait(post);
    if (post.attachments.length > 0) throw cannot('attachments', 'write the path into the body');
    const id = this.#outgoing.id('post', post.idempotency_key);
    const fields = new Map([
      ['from', OPERATOR.address],
      ['to', this.address],
      ['re', post.subject],
      ['msg-id', id],
      ['origin', 'operator'],
      ['reply-policy', post.reply_policy],
    ]);
    const { result } = await this.#boxes.inbox.prepend({ fields, body: post.body_content });
    return { message: this.#boxes.find(id), duplicate: result === 'duplicate' };
  }

  async reply(input: MailReply): Promise<MailSent> {
    const { id, reply } = this.#checks.reply(input);
    refuseWait(reply);
    if (reply.attachments.length > 0) throw cannot('attachments', 'write the path into the body');
    const parent = this.#boxes.inbox.show(id);
    const re = parent.fields.get('re') ?? '';
    const sent = await this.#send(
      {
        to: replyTarget(parent.fields),
        re: /^re:/i.test(re) ? re : `Re: ${re}`,
        'msg-id': this.#outgoing.id('send', reply.idempotency_key),
        'in-reply-to': parent.ref,
        thread: parent.fields.get('thread') || listOf(parent.fields.get('in-reply-to'))[0] || parent.ref,
      },
      reply.body_content,
    );
    // Also after a retry, because the first try may have ended between the two files.
    if (!isAnswered(statusOf(parent.fields))) await this.#boxes.markAnswered(parent.ref);
    return sent;
  }

  async #send(envelope: Parameters<Outgoing['dispatch']>[0], body: string): Promise<MailSent> {
    const result = await this.#outgoing.dispatch(envelope, body);
    return { message: this.#boxes.find(envelope['msg-id']), duplicate: result === 'duplicate' };
  }

  async mark(input: MailMark): Promise<MailMessage[]> {
    const { ids: refs, flags } = this.#checks.mark(input);
    const found = refs.map((ref) => this.#boxes.find(ref));
    for (const { box, message_ref } of found) {
      if (box === SENT) throw unsupported(`${message_ref} is in sent, whose messages have no flags`);
      if (box === ARCHIVE && flags.archived === false) throw unarchive();
    }
    if (flags.read != null || flags.answered != null) await this.#boxes.setFlags(found, flags);
    if (flags.archived === true) await this.#boxes.inbox.archive({ refs });
    return refs.map((ref) => this.#boxes.find(ref));
  }

  async move(refs: string[], destination: string): Promise<MailMessage[]> {
    const { ids, box } = this.#checks.move(refs, destination);
    if (box === ARCHIVE) return this.archive(refs);
    const found = ids.map((id) => this.#boxes.find(id));
    if (box === INBOX && found.every((message) => message.box === INBOX)) return found;
    if (box === INBOX) throw unarchive();
    throw unsupported(`a flat file has no box ${box}: messages are in the inbox or in the archive`);
  }

  async archive(refs: string[]): Promise<MailMessage[]> {
    const ids = this.#checks.ids(refs);
    await this.#boxes.inbox.archive({ refs: ids });
    return ids.map((id) => this.#boxes.find(id));
  }

  watch(onChange: (hint: MailHint) => void): Promise<() => void> {
    return this.#boxes.inbox.watch(() => onChange({ address: this.address }));
  }

  async close(): Promise<void> {
    await Promise.all([this.#boxes.inbox.idle(), this.#boxes.outbox.idle()]);
  }
}

const cannot = (what: string, hint: string): Error =>
  unsupported(`a flat file cannot carry ${what}`, { hint });
function refuseWait({
  expects_answer,
  answer_by,
}: {
  expects_answer: boolean;
  answer_by?: string | null | undefined;
}): void {
  if (expects_answer || answer_by != null)
    throw cannot('that an answer is expected', 'say in the text by when you need an answer');
}

const unarchive = (): Error =>
  unsupported('a flat file cannot bring archived mail back', {
    hint: 'send a new message that refers to it',
  });
