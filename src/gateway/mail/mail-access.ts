import { asRouseError, Emitter, isRouseError } from '../../base/index.ts';
import { LOOPBACK } from '../../domain/index.ts';
import type { Mailbox, OpenedMailbox } from '../../mail/index.ts';
import { type MailboxBinding, refusal } from '../../wire/index.ts';

/** Opens the store a binding names. */
export type OpenMailbox = (binding: MailboxBinding) => Promise<OpenedMailbox>;

export interface MailAccess {
  /** The bound mailbox, open. */
  mailbox(): Promise<Mailbox>;
  bindingsVersion(): string;
  /** Something changed in the mailbox, or another one was opened. A hint. */
  readonly changed: Emitter<void>;
  /** Watches the mailbox; again after a failure or a new binding. Safe to call at every look. */
  watch(): Promise<void>;
  close(): Promise<void>;
}

type Open = OpenedMailbox & { unwatch?: () => void };

/** A gateway that listens on this address serves mail over HTTP. Beyond loopback it does not, whoever asks. */
export function servesMail(host: string): boolean {
  return host === LOOPBACK;
}

export function openMailAccess(
  binding: () => MailboxBinding | null | undefined,
  open: OpenMailbox,
): MailAccess {
  const changed = new Emitter<void>();
  let current: Promise<Open> | undefined;
  let currentVersion = '';
  let openedBefore = false;

  function bound(): MailboxBinding {
    const found = binding();
    if (found) return found;
    throw refusal('mail_no_binding', 'this session has no mailbox', {
      hint: 'bind one with "rouse agents mailbox register"',
    });
  }

  /** The old one is let go whatever becomes of it: the root it was opened from may be gone. */
  async function replace(wanted: MailboxBinding): Promise<Open> {
    await current?.then(letGo).catch(() => undefined);
    const opened = { ...(await open(wanted)) };
    if (openedBefore) changed.emit();
    openedBefore = true;
    return opened;
  }

  async function use(): Promise<Open> {
    const wanted = bound();
    if (!current || currentVersion !== wanted.bindings_version) {
      currentVersion = wanted.bindings_version;
      current = replace(wanted);
    }
    const found = current;
    const held = await opened(found, wanted);
    if (!held.isReplaced?.()) return held;
    if (current === found) current = replace(wanted);
    return opened(current ?? found, wanted);
  }

  async function opened(opening: Promise<Open>, { address }: MailboxBinding): Promise<Open> {
    try {
      return await opening;
    } catch (error) {
      if (current === opening) current = undefined;
      throw openingFailure(error, address);
    }
  }

  return {
    changed,
    mailbox: async () => (await use()).mailbox,
    bindingsVersion: () => bound().bindings_version,
    async watch() {
      const held = await use();
      held.unwatch ??= await held.mailbox.watch(() => changed.emit());
    },
    async close() {
      await current?.then(letGo, () => undefined);
      current = undefined;
    },
  };
}

async function letGo(held: Open): Promise<void> {
  held.unwatch?.();
  await held.close();
}

/**
 * A store that cannot be read is the transport's failure, and a mailbox that is no longer registered the binding's; what
 * the store refuses otherwise stays what it is.
 */
export function storeFailure(error: unknown, address: string): Error {
  if (isRouseError(error) && error.code === 'not_found' && error.facts['recipient'] === address)
    return refusal('mail_no_binding', error.message, { ...hintOf(error), cause: error });
  if (isRouseError(error) && error.code !== 'internal' && error.code !== 'unavailable') return error;
  return transportFailure(error);
}

/** While it is being opened, what is not there is the store itself. */
function openingFailure(error: unknown, address: string): Error {
  const failure = storeFailure(error, address);
  return isRouseError(failure) && failure.code === 'not_found' ? transportFailure(failure) : failure;
}

function transportFailure(error: unknown): Error {
  const { message, hint } = asRouseError(error);
  return refusal('mail_transport', `the mail store failed: ${message}`, {
    ...hintOf({ hint }),
    cause: error,
  });
}

function hintOf({ hint }: { hint?: string | undefined }): { hint?: string } {
  return hint === undefined ? {} : { hint };
}
