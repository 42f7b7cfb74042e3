import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Clock, sha256, unsupported } from '../../../base/index.ts';
import { newMessageId, OPERATOR, parseAddress, unknownRecipient } from '../../../domain/index.ts';
import type { FlatFile } from '../flat-file.ts';
import { relay } from '../relay/relay.ts';
import { takesReplies } from './message-view.ts';

/** The sender, its outbox, and the peers that it can reach directly. */
export interface OutgoingOptions {
  address: string;
  agent: string;
  outbox: FlatFile;
  peers: ReadonlyMap<string, string> | undefined;
  clock: Clock;
}

/** A peer that stays busy this long gets its mail with the next send or relay. */
const CARRY_TIMEOUT_MS = 5000;

/** Sends mail of one mailbox: into its outbox first, then to the peers that it knows. */
export class Outgoing {
  #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** Accepts a known address, or any well-formed one if no peers are known. */
  recipient(text: string, field: string): string {
    const { address: own, peers } = this.#options;
    const known = [own, OPERATOR.address, ...(peers?.keys() ?? [])];
    if (known.includes(text.trim())) return text.trim();
    const address = parseAddress(text, field);
    if (known.includes(address)) return address;
    if (!peers) return address;
    throw unknownRecipient(
      address,
      known.map((each) => ({ address: each, principal_id: each })),
    );
  }

  /** A key names one message of this mailbox for ever. Without a key every message is new. */
  id(scope: 'send' | 'post', key: string | null | undefined): string {
    const { address, clock } = this.#options;
    if (key == null) return newMessageId(clock.now());
    return `key-${sha256(`${scope}\n${address}\n${key}`).slice(0, 32)}`;
  }

  /**
   * The message is accepted once it is in the outbox. It goes to reachable peers at once; the rest waits for a relay.
   */
  async dispatch(
    envelope: { to: string; 'msg-id': string } & Record<string, string>,
    body: string,
  ): Promise<'prepended' | 'duplicate'> {
    const { address, outbox, peers } = this.#options;
    const status = envelope.to === OPERATOR.address ? 'operator-pending' : 'pending';
    const fields = new Map(Object.entries({ from: address, status, ...envelope }));
    const { result } = await outbox.prepend({ fields, body });
    if (peers) await this.#carry(peers);
    return result;
  }

  /** The message is already accepted. A failure here leaves it pending. */
  async #carry(peers: ReadonlyMap<string, string>): Promise<void> {
    const { address: own, agent, clock } = this.#options;
    const others = [...peers].filter(([address, directory]) => address !== own && isMailDirectory(directory));
    const directories = [[own, agent] as const, ...others].map(([address, directory]) => ({
      directory,
      addresses: [address],
      byName: false,
    }));
    try {
      await relay(directories, {
        firstOnly: true,
        keepUnknown: true,
        by: own,
        clock,
        timeoutMs: CARRY_TIMEOUT_MS,
      });
    } catch {
      return;
    }
  }
}

function isMailDirectory(directory: string): boolean {
  const agent = path.basename(directory) === '.agent' ? directory : path.join(directory, '.agent');
  return fs.statSync(agent, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The recipient of a reply; `unsupported` if the operator's note accepts none. */
export function replyTarget(fields: ReadonlyMap<string, string>): string {
  if (fields.get('origin') !== 'operator') return fields.get('from') ?? '';
  if (takesReplies(fields)) return OPERATOR.address;
  throw unsupported('this operator note takes no replies (reply policy none)', {
    hint: 'do what it asks and archive it',
  });
}
