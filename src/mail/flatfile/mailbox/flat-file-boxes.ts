import * as path from 'node:path';
import { type Clock, ensureDirectory, isRouseError, notFound, sha256 } from '../../../base/index.ts';
import {
  ARCHIVE,
  INBOX,
  type MailMessage,
  makeMailRef,
  parseBoxName,
  parseMailRef,
  SENT,
} from '../../../domain/index.ts';
import { FLAT_FILE } from '../binding.ts';
import { FlatFile } from '../flat-file.ts';
import { statusOf } from '../format/envelope.ts';
import { currentIdentity } from '../store/snapshot.ts';
import { type StatusFlags, statusFor } from './flag-rules.ts';
import type { Boxes } from './mail-select.ts';
import { viewMessage } from './message-view.ts';

/** The three files of one `.agent` directory as the boxes of one mailbox. Finds messages and sets their flags. */
export class FlatFileBoxes {
  readonly agent: string;
  readonly inbox: FlatFile;
  readonly archive: FlatFile;
  readonly outbox: FlatFile;
  readonly byName: Boxes;
  #address: string;

  constructor({ directory, address, clock }: { directory: string; address: string; clock: Clock }) {
    this.#address = address;
    const place = path.resolve(directory);
    this.agent = path.basename(place) === '.agent' ? place : path.join(place, '.agent');
    ensureDirectory(this.agent);
    this.inbox = new FlatFile(path.join(this.agent, 'inbox.md'), { clock });
    this.archive = new FlatFile(this.inbox.paths.archive, { clock });
    this.outbox = new FlatFile(path.join(this.agent, 'outbox.md'), { clock });
    this.byName = [
      [INBOX, this.inbox],
      [ARCHIVE, this.archive],
      [SENT, this.outbox],
    ];
  }

  /** A token that changes with the files. */
  version(): string {
    const files = [this.inbox, this.archive, this.outbox].map(({ paths }) => currentIdentity(paths.mailbox));
    return sha256(files.join('\n')).slice(0, 16);
  }

  find(ref: string, box?: string | null): MailMessage {
    const found = this.#locate(ref);
    if (!found) throw notFound(`no message ${makeMailRef(FLAT_FILE, ref)} in mailbox ${this.#address}`);
    if (box != null && found.box !== parseBoxName(box)) {
      throw notFound(`message ${found.message_ref} is in box ${found.box}, not in ${box}`);
    }
    return found;
  }

  #locate(ref: string): MailMessage | undefined {
    const inside = this.inbox.find(ref);
    if (inside) return viewMessage(inside, inside.archived ? ARCHIVE : INBOX);
    const sent = this.outbox.find(ref);
    return sent && viewMessage(sent, SENT);
  }

  /** Sets the status that expresses these flags on messages of inbox and archive. */
  async setFlags(messages: readonly MailMessage[], flags: StatusFlags): Promise<void> {
    for (const [name, file] of [
      [ARCHIVE, this.archive],
      [INBOX, this.inbox],
    ] as const) {
      const here = messages.filter(({ box }) => box === name);
      const refs = new Set(here.map(({ message_ref: ref }) => parseMailRef(FLAT_FILE, ref)));
      if (refs.size > 0) await setStatuses(file, refs, flags);
    }
  }

  /** The reply is already on its way. If this fails, the reply stays sent and the parent stays open for another look. */
  async markAnswered(ref: string): Promise<void> {
    for (const file of [this.inbox, this.archive]) {
      try {
        return await file.setStatus([ref], { to: 'actioned', by: this.#address });
      } catch (error) {
        if (!isRouseError(error) || error.code !== 'not_found') return;
      }
    }
  }
}

async function setStatuses(file: FlatFile, refs: ReadonlySet<string>, flags: StatusFlags): Promise<void> {
  await file.edit({
    name: 'mark',
    edit({ ref, fields }) {
      if (!refs.has(ref)) return undefined;
      const now = statusOf(fields);
      const next = statusFor(now, flags);
      return next === now ? undefined : new Map([['status', next]]);
    },
  });
}
