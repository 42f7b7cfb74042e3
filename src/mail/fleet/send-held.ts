import {
  asRouseError,
  type Clock,
  conflict,
  crashPoint,
  Emitter,
  isRouseError,
  utcStamp,
} from '../../base/index.ts';
import { makeMailRef } from '../../domain/index.ts';
import type { HeldMail, MailOutbox } from '../port.ts';
import type { FleetMailServer } from '../transport.ts';
import { FLEET } from './binding.ts';
import { askSurely, inDoubt, isAway } from './mail-server.ts';
import { cannotTell, type HeldFile, type HeldMessage, type Outbox, viewHeld } from './outbox.ts';
import { type FileDescription, keptBytes, upload } from './upload.ts';
import { versionNow } from './watch-mail.ts';

/** The message is at fault, not the server, the token or the mailbox. */
const FOR_GOOD = new Set(['invalid', 'not_found', 'conflict', 'unsupported']);

/** The outbox of one mailbox: sends and cancels waiting mail. */
export class HeldSender implements MailOutbox {
  readonly held = new Emitter<void>();
  readonly #server: FleetMailServer;
  readonly #outbox: Outbox;
  readonly #clock: Clock;

  constructor(on: { server: FleetMailServer; outbox: Outbox; clock: Clock }) {
    this.#server = on.server;
    this.#outbox = on.outbox;
    this.#clock = on.clock;
  }

  async list(): Promise<HeldMail[]> {
    return this.#outbox.list().map(viewHeld);
  }

  async hold(held: HeldMessage): Promise<HeldFile> {
    const kept = await this.#outbox.hold(held);
    this.held.emit();
    return kept;
  }

  async flush(): Promise<void> {
    if (!this.#waits()) return;
    // Asked first, so that nothing is written while the server cannot be reached.
    await versionNow(this.#server);
    await this.#outbox.exclusively(async () => {
      for (const held of this.#outbox.list()) if (!held.refused) await this.#send(held);
    });
  }

  async cancel(messageId: string): Promise<HeldMail> {
    const id = messageId.replace(/^fleet:/, '');
    return this.#outbox.exclusively(async () => {
      const held = this.#outbox.require(id);
      const isThere = held.tried && (await this.#isThere(id));
      this.#outbox.sent(id);
      if (isThere)
        throw conflict(`message ${id} was sent already`, { hint: 'it is in the sent box of the mailbox' });
      return viewHeld(held);
    });
  }

  #waits(): boolean {
    return !this.#outbox.isEmpty && this.#outbox.list().some(({ refused }) => !refused);
  }

  async #send(held: HeldFile): Promise<void> {
    try {
      for (const each of held.attachments) await upload(this.#server, each, keptBytes(each));
      if (!held.tried) this.#outbox.write({ ...held, tried: true });
      crashPoint('fleet.mail-trying');
      const attachments = held.attachments.map(describeFile);
      const carrying = { message_id: held.message_id, attachments };
      if (held.answers === undefined) await askSurely(this.#server, 'send', { ...held.mail, ...carrying });
      else {
        const { body_content } = held.mail;
        await askSurely(this.#server, 'reply', { body_content, message_ref: held.answers, ...carrying });
      }
      crashPoint('fleet.mail-taken');
      this.#outbox.sent(held.message_id);
    } catch (error) {
      if (!isOfMessage(error)) {
        if (isAway(error) && !inDoubt(error) && !held.tried) this.#outbox.write(held);
        throw error;
      }
      const { code, message } = asRouseError(error);
      const refused = { code, message, at_utc: utcStamp(this.#clock.now()) };
      this.#outbox.write({ ...held, tried: false, refused });
    }
  }

  async #isThere(messageId: string): Promise<boolean> {
    try {
      await this.#server.ask('peek', { body: { message_ref: makeMailRef(FLEET, messageId) } });
      return true;
    } catch (error) {
      if (isRouseError(error) && error.code === 'not_found') return false;
      throw cannotTell(messageId, asRouseError(error));
    }
  }
}

function isOfMessage(error: unknown): boolean {
  return isRouseError(error) && FOR_GOOD.has(error.code) && error.facts['error_code'] !== 'mail_no_binding';
}

export function describeFile({
  attachment_id,
  media_type,
  sha256,
  size_bytes,
  label,
}: FileDescription): FileDescription {
  return { attachment_id, media_type, sha256, size_bytes, label };
}
