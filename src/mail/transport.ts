import * as z from 'zod';
import type { Clock } from '../base/index.ts';
import type { RegisterMode, UnregisterMode } from '../domain/index.ts';
import type { Mailbox } from './port.ts';

/**
 * An agent's mailbox as its manifest records it. Each transport adds the fields it needs to find the mailbox again. No
 * secrets; those are in separate files.
 */
export interface MailboxBinding {
  transport: string;
  principal_id: string;
  address: string;
  /** Different for every binding. */
  bindings_version: string;
  [field: string]: unknown;
}

/** The owner of the mailbox, in the schema of every binding. */
export const OWNER = { principal_id: z.string(), address: z.string() };

/** A fleet server that keeps mailboxes, as its clients see it. */
export interface FleetMailServer {
  readonly url: string;
  /** Calls one route of the mailbox by name: `send`, `list`, …. */
  ask<T>(
    what: string,
    input: object,
    options?: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<T>;
}

/** What stores need from their surroundings. */
export interface MailSurroundings {
  clock: Clock;
  /** Connects to the server that this directory names, with the token in it; both are read again for each request. */
  connectFleet?: ((fleetDirectory: string) => FleetMailServer) | undefined;
}

export interface OpenedMailbox {
  mailbox: Mailbox;
  /** The open store is no longer the one on disk: it was repaired, restored from a copy or moved away. */
  isReplaced?(): boolean;
  /** Closes the mailbox and its store. */
  close(): Promise<unknown>;
}

/** Asks for a mailbox for an agent: where, for whom, and what to do if the address is taken. */
export interface BindRequest {
  /** Default: the transport of the place. */
  transport?: string | undefined;
  /** A path to a mailbox of this transport. */
  place: string;
  principal_id: string;
  /** Default: made from the agent's name. */
  address?: string | undefined;
  bindings_version: string;
  mode: RegisterMode;
  agentName: string;
  manifestPath: string;
  role?: string | undefined;
}

export interface Bound<Binding extends MailboxBinding = MailboxBinding> {
  binding: Binding;
  /** The mailbox existed before. Undoing the binding must keep it. */
  reused: boolean;
}

/** Opens, binds and removes the mailboxes of one transport. */
export interface MailKeeper<Binding extends MailboxBinding = MailboxBinding> {
  open(binding: Binding, on: MailSurroundings): Promise<OpenedMailbox>;
  /** Opens the mailbox at a path; without an address, the only one there. */
  openAt(place: string, address: string | undefined): Promise<OpenedMailbox>;
  /** Creates what is missing and returns how to find the mailbox. */
  bind(request: BindRequest, on: MailSurroundings): Promise<Bound<Binding>>;
  /** Releases an address; `purge` also removes its folder. Returns facts to report. */
  unbind(binding: Binding, mode: UnregisterMode, on: MailSurroundings): Promise<Record<string, unknown>>;
  /** Whether the mailbox still matches the binding. */
  isActive(binding: Binding, on: MailSurroundings): Promise<boolean>;
  /** Returns where the parts of the mailbox are, for the agent's own programs. */
  describe(binding: Binding): Record<string, unknown>;
}

/** One way to keep mail: what is known without opening anything, and how to load its keeper. */
export interface MailTransport<Binding extends MailboxBinding = MailboxBinding> {
  /** Appears in bindings and results, and before the colon of every message_ref. */
  name: string;
  /** The schema of its bindings; `transport` is its name. */
  binding: z.ZodObject;
  /** Binding fields that stay in the manifest and are not published in the registry. */
  unpublished?: readonly string[];
  /** The binding field that shows people where the mailbox is. */
  placeField: string;
  /**
   * Whether a path is a mailbox of this transport. Absent if no path can be. The transport listed last is asked first.
   */
  isAt?(place: string): boolean;
  /** A fleet server keeps it: the agent must be registered there, and its gateway learns of mail with the heartbeat. */
  isRemote?: boolean;
  /** Whether mail of this mailbox may have to wait for a server. */
  mayWait?(binding: Binding): boolean;
  /** The command that carries sent mail from the outbox to its readers, if one is needed. */
  carriedBy?: string;
  /** Loads the code that opens its mailboxes. */
  keeper(): Promise<MailKeeper<Binding>>;
}
