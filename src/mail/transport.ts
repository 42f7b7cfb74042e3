import * as z from 'zod';
import type { Clock } from '../base/index.ts';
import type { Mailbox } from './port.ts';

/**
 * Which mailbox belongs to an agent, as its manifest holds it. Beside these fields each transport has its own: what it
 * needs to find the mailbox again. No secrets; those are files of their own.
 */
export interface MailboxBinding {
  transport: string;
  principal_id: string;
  address: string;
  /** Another one with every binding. */
  bindings_version: string;
  [field: string]: unknown;
}

/** `deactivate` keeps everything and stops delivery; `purge` forgets the mailbox. Messages stay in either case. */
export type UnregisterMode = 'deactivate' | 'purge';

/** Whose mailbox it is, in the schema of every binding. */
export const OWNER = { principal_id: z.string(), address: z.string() };

/** A fleet server that keeps mailboxes, as whoever opens one speaks to it. */
export interface FleetMailServer {
  readonly url: string;
  /** One route of the mailbox by its name: `send`, `list`, …. */
  ask<T>(
    what: string,
    input: object,
    options?: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<T>;
}

/** What stores need from outside. */
export interface MailSurroundings {
  clock: Clock;
  /** The server that the files of this directory name, with the token that lies there; read again for each question. */
  connectFleet?: ((fleetDirectory: string) => FleetMailServer) | undefined;
}

export interface OpenedMailbox {
  mailbox: Mailbox;
  /** What was opened is no longer what lies there: it was repaired, restored from a copy, or moved away. */
  isReplaced?(): boolean;
  /** Closes it and the store it was opened from. */
  close(): Promise<unknown>;
}

/** A mailbox for an agent: where, whose, and what to do when the address is taken. */
export interface BindRequest {
  /** Default: that of the place. */
  transport?: string | undefined;
  /** A path that names a mailbox of this transport. */
  place: string;
  principal_id: string;
  /** Default: made from the name of the agent. */
  address?: string | undefined;
  bindings_version: string;
  mode: 'safe' | 'force' | 'stash';
  agentName: string;
  manifestPath: string;
  role?: string | undefined;
}

export interface Bound<Binding extends MailboxBinding = MailboxBinding> {
  binding: Binding;
  /** The mailbox was there before; taking the binding back must leave it. */
  reused: boolean;
}

/** What is done with the mailboxes of one transport as a whole. */
export interface MailKeeper<Binding extends MailboxBinding = MailboxBinding> {
  open(binding: Binding, on: MailSurroundings): Promise<OpenedMailbox>;
  /** The mailbox somebody names by its path; without an address, the only one there. */
  openAt(place: string, address: string | undefined): Promise<OpenedMailbox>;
  /** Makes what is not there yet, and says how the mailbox is found. */
  bind(request: BindRequest, on: MailSurroundings): Promise<Bound<Binding>>;
  /** Takes an address back; `purge` also forgets its folder. Answers with what there is to tell of it. */
  unbind(binding: Binding, mode: UnregisterMode, on: MailSurroundings): Promise<Record<string, unknown>>;
  /** Whether the mailbox still is what the binding says. */
  isActive(binding: Binding, on: MailSurroundings): Promise<boolean>;
  /** Where the parts of the mailbox are, for the agent's own programs. */
  describe(binding: Binding): Record<string, unknown>;
}

/** One way to keep mail: all that is known of it without opening anything, and who opens it. */
export interface MailTransport<Binding extends MailboxBinding = MailboxBinding> {
  /** In bindings and answers, and before the colon of every message_ref. */
  name: string;
  /** What a binding of it looks like; `transport` is its name. */
  binding: z.ZodObject;
  /** Fields of the binding that stay in the manifest when it is published in the registry. */
  unpublished?: readonly string[];
  /** The field of the binding that tells people where the mailbox is. */
  placeField: string;
  /** Whether a path names a mailbox of it. Absent when no path does. The transport listed last is asked first. */
  isAt?(place: string): boolean;
  /** Kept by a fleet server: the agent must be registered with it, and its gateway hears of mail with the heartbeat. */
  isRemote?: boolean;
  /** Whether mail of such a mailbox may have to wait for a server. */
  mayWait?(binding: Binding): boolean;
  /** The command that carries sent mail to its readers, where it waits in the outbox until then. */
  carriedBy?: string;
  /** Loads what opens its mailboxes. */
  keeper(): Promise<MailKeeper<Binding>>;
}
