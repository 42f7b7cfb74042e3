import { expect } from 'vitest';
import type { MailMessage } from '../../domain/index.ts';
import type { Mailbox, MailCapabilities } from '../port.ts';

/** Three mailboxes that can write to each other, in a private store. */
export interface MailWorld {
  alice: Mailbox;
  bob: Mailbox;
  carol: Mailbox;
  /** Carries sent mail to its readers if the transport needs a carrier; otherwise does nothing. */
  settle(): Promise<void>;
  /** Another handle on bob's mailbox, like that of another process. */
  anotherBob(): Promise<Mailbox>;
  end(): Promise<void>;
}

export interface MailContract {
  name: string;
  capabilities: MailCapabilities;
  begin(): Promise<MailWorld>;
}

/** The world of the current test, and what most tests do in it. */
export class MailScene {
  readonly capabilities: MailCapabilities;
  #world: MailWorld | undefined;

  constructor(capabilities: MailCapabilities) {
    this.capabilities = capabilities;
  }

  begin(world: MailWorld): void {
    this.#world = world;
  }

  async end(): Promise<void> {
    await this.#world?.end();
    this.#world = undefined;
  }

  get world(): MailWorld {
    if (!this.#world) throw new Error('no test is running');
    return this.#world;
  }

  get alice(): Mailbox {
    return this.world.alice;
  }

  get bob(): Mailbox {
    return this.world.bob;
  }

  get carol(): Mailbox {
    return this.world.carol;
  }

  settle(): Promise<void> {
    return this.world.settle();
  }

  anotherBob(): Promise<Mailbox> {
    return this.world.anotherBob();
  }

  /** Alice writes to bob; returns the message as bob has it. */
  async write(subject: string, body = `about ${subject}`): Promise<MailMessage> {
    const sent = await this.alice.send({ to: [this.bob.address], subject, body_content: body });
    await this.settle();
    return sent.message;
  }

  /** The only message with that subject in bob's inbox. */
  async bobGot(subject: string): Promise<MailMessage> {
    const { messages } = await this.bob.list({ include_body: true });
    const found = messages.filter((message) => message.subject === subject);
    expect(found, `copies of ${subject}`).toHaveLength(1);
    return found[0]!;
  }
}

export const subjects = (messages: MailMessage[]): string[] => messages.map(({ subject }) => subject);
