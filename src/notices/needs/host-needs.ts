import * as fs from 'node:fs';
import * as path from 'node:path';
import { DirectoryWatches, type Log, messageOf } from '../../base/index.ts';
import { OPERATOR } from '../../domain/index.ts';
import { inboxDirectory } from '../../mail/inbox-count.ts';
import { type MailboxBinding, type OpenedMailbox, openMailStore } from '../../mail/index.ts';
import { isUnseen, RosterFollower, type SessionContext, waitedFor } from '../../session/index.ts';
import { PAGE_SHELL_ROUTES } from '../../wire/index.ts';
import type { NeedSource } from '../notice-owner.ts';
import type { Seen, SeenNeed } from '../outbox/need.ts';
import type { SendMail } from '../waits/waits.ts';
import { needsOfAgent } from './agent-needs.ts';

/** More unread mail than this is one more reason to look, not more notices. */
const MAX_MAIL = 200;

/** The needs of the agents of this home, and mail for the person behind them. */
export class HostNeeds implements NeedSource {
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #openMailbox: (binding: MailboxBinding) => Promise<OpenedMailbox>;
  readonly #agents: RosterFollower;
  readonly #watches = new DirectoryWatches();
  #mail: SeenNeed[] | undefined;
  #isMailStale = true;
  #onChange: () => void = () => {};

  constructor(
    context: SessionContext,
    { log, openMailbox }: { log: Log; openMailbox: (binding: MailboxBinding) => Promise<OpenedMailbox> },
  ) {
    this.#context = context;
    this.#log = log;
    this.#openMailbox = openMailbox;
    this.#agents = new RosterFollower(context, log);
  }

  start(changed: () => void): void {
    this.#onChange = changed;
    this.#isMailStale = true;
    this.#agents.start(changed);
  }

  stop(): void {
    this.#agents.stop();
    this.#watches.close();
  }

  sendMail: SendMail = async (recipient, { key, subject, text }) => {
    const { mailbox, close } = await this.#openMailbox(recipient as MailboxBinding);
    try {
      await mailbox.post({ subject, body_content: text, idempotency_key: key });
      await mailbox.outbox?.flush().catch(() => undefined);
    } finally {
      await close();
    }
  };

  async look(): Promise<Seen> {
    const agents = await this.#agents.look();
    const unseen = new Set(agents.filter(isUnseen).map(({ name }) => name));
    if (this.#followMail() || this.#isMailStale) await this.#lookAtMail();
    const needs = agents.flatMap((agent) => needsOfAgent(agent, this.#writerOf(agent.id)));
    return {
      needs: [...new Map([...needs, ...(this.#mail ?? [])].map((need) => [need.key, need])).values()],
      agents: agents.map((agent) => ({ id: agent.id, ...waitedFor(agent, this.#agents.glanceOf(agent.id)) })),
      isUnsure: ({ agent, key }) => agent !== null && unseen.has(agent) && !key.startsWith('mail:'),
    };
  }

  /** With the same writer, another beginning is another need. */
  #writerOf(id: string): string | null {
    const { pid, startTicks } = this.#agents.glanceOf(id)?.written_by ?? {};
    return pid === undefined ? null : `${pid} ${startTicks}`;
  }

  /** True when the mailbox was not watched before. */
  #followMail(): boolean {
    const { mailboxDir } = this.#context.settings;
    const changed = (): void => {
      this.#isMailStale = true;
      this.#onChange();
    };
    // Marking mail as read changes no directory; the store signals it.
    const signalled = (file: string): void => void (file === OPERATOR.address && changed());
    return this.#watches.set(
      new Map([
        [this.#inbox, changed],
        [path.join(mailboxDir, 'signals'), signalled],
      ]),
    );
  }

  get #inbox(): string {
    const { mailboxDir: filesystem_root } = this.#context.settings;
    return inboxDirectory({ transport: 'filesystem', filesystem_root, address: OPERATOR.address })!;
  }

  /** Unread mail for the person. A store that cannot be read keeps nothing else from being reported. */
  async #lookAtMail(): Promise<void> {
    const { settings, clock } = this.#context;
    this.#isMailStale = false;
    if (!fs.existsSync(this.#inbox)) return;
    try {
      const store = openMailStore({ root: settings.mailboxDir, clock });
      try {
        const { messages } = await store
          .mailbox(OPERATOR.address)
          .list({ read_state: 'unread', limit: MAX_MAIL });
        this.#mail = messages.map(({ message_ref, sender, subject, created_at_utc }) => ({
          key: `mail:${message_ref}`,
          kind: 'mail' as const,
          agent: sender.display_name ?? sender.address.split('@')[0]!,
          person: null,
          words: subject,
          command: 'rouse inbox',
          href: PAGE_SHELL_ROUTES['page.shell.mail'].path,
          since_utc: created_at_utc,
          writer: null,
          past: false,
        }));
      } finally {
        await store.close();
      }
    } catch (error) {
      this.#log.warn('your mail cannot be read', { cause: messageOf(error) });
    }
  }
}
