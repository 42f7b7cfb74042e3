import { asRouseError, Emitter, isRouseError } from '../../base/index.ts';
import { LOOPBACK } from '../../domain/index.ts';
import type { Mailbox, OpenedMailbox } from '../../mail/index.ts';
import { transportNamed } from '../../mail/transports.ts';
import { refusal } from '../../wire/codes.ts';
import type { MailboxBinding } from '../../wire/index.ts';

/** Opens the store a binding names. */
export type OpenMailbox = (binding: MailboxBinding) => Promise<OpenedMailbox>;

type Open = OpenedMailbox & { unwatch?: () => void };

/** Whether a gateway that listens on this address serves mail over HTTP. Beyond loopback it does not, for any caller. */
export function servesMail(host: string): boolean {
  return host === LOOPBACK;
}

/** The mailbox of the session. Opened on first use, and again when another one is bound or its files were replaced. */
export class MailAccess {
  /** Something changed in the mailbox, or another one was opened. A hint. */
  readonly changed = new Emitter<void>();
  /** Mail was put into the outbox, where it waits for the server that stores the mailbox. */
  readonly held = new Emitter<void>();
  readonly #binding: () => MailboxBinding | null | undefined;
  readonly #open: OpenMailbox;
  readonly #serverReports: () => boolean;
  #current: Promise<Open> | undefined;
  #currentVersion = '';
  #openedBefore = false;

  /** `serverReports`: whether the server of a remote mailbox reports its changes; if not, the mailbox is watched itself. */
  constructor(
    binding: () => MailboxBinding | null | undefined,
    open: OpenMailbox,
    serverReports: () => boolean = () => false,
  ) {
    this.#binding = binding;
    this.#open = open;
    this.#serverReports = serverReports;
  }

  /** The bound mailbox, open. */
  async mailbox(): Promise<Mailbox> {
    return (await this.#use()).mailbox;
  }

  get isBound(): boolean {
    return Boolean(this.#binding());
  }

  /** Whether a server stores the mailbox. */
  get isRemote(): boolean {
    return transportNamed(this.#binding()?.transport)?.isRemote === true;
  }

  /** Mail sent from it may have to wait for a server. */
  get mayWait(): boolean {
    const binding = this.#binding();
    return binding ? transportNamed(binding.transport)?.mayWait?.(binding) === true : false;
  }

  bindingsVersion(): string {
    return this.#bound().bindings_version;
  }

  /** Watches the mailbox; again after a failure or a new binding. Safe to call at every look. */
  async watch(): Promise<void> {
    const held = await this.#use();
    if (this.isRemote && this.#serverReports()) return;
    held.unwatch ??= await held.mailbox.watch(() => this.changed.emit());
  }

  async close(): Promise<void> {
    await this.#current?.then(release, () => undefined);
    this.#current = undefined;
  }

  #bound(): MailboxBinding {
    const found = this.#binding();
    if (found) return found;
    throw refusal('mail_no_binding', 'this session has no mailbox', {
      hint: 'bind one with "rouse agents mailbox register"',
    });
  }

  async #use(): Promise<Open> {
    const wanted = this.#bound();
    if (!this.#current || this.#currentVersion !== wanted.bindings_version) {
      this.#currentVersion = wanted.bindings_version;
      this.#current = this.#replace(wanted);
    }
    const found = this.#current;
    const held = await this.#opened(found, wanted);
    if (!held.isReplaced?.()) return held;
    if (this.#current === found) this.#current = this.#replace(wanted);
    return this.#opened(this.#current ?? found, wanted);
  }

  /** The old one is released even if that fails: the root it was opened from may be gone. */
  async #replace(wanted: MailboxBinding): Promise<Open> {
    await this.#current?.then(release).catch(() => undefined);
    const opened = { ...(await this.#open(wanted)) };
    opened.mailbox.outbox?.held.on(() => this.held.emit());
    if (this.#openedBefore) this.changed.emit();
    this.#openedBefore = true;
    return opened;
  }

  async #opened(opening: Promise<Open>, { address }: MailboxBinding): Promise<Open> {
    try {
      return await opening;
    } catch (error) {
      if (this.#current === opening) this.#current = undefined;
      throw openingFailure(error, address);
    }
  }
}

async function release(held: Open): Promise<void> {
  held.unwatch?.();
  await held.close();
}

/**
 * Maps an error of the store: an unreadable store is a failure of the transport, a mailbox that is no longer registered one
 * of the binding. Other refusals stay as they are.
 */
export function storeFailure(error: unknown, address: string): Error {
  if (isRouseError(error) && error.code === 'not_found' && error.facts['recipient'] === address)
    return refusal('mail_no_binding', error.message, { ...hintOf(error), cause: error });
  if (isRouseError(error) && error.code !== 'internal' && error.code !== 'unavailable') return error;
  return transportFailure(error);
}

/** While a store is being opened, "not found" means the store itself. */
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
