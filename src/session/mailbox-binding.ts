import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Clock, conflict, notFound, unsupported } from '../base/index.ts';
import { agentAddress, agentPrincipal, parseAddress } from '../domain/index.ts';
import {
  agentDirectoryOf,
  FlatFileMailbox,
  initMailStore,
  isFlatFilePath,
  openMailStore,
} from '../mail/index.ts';
import type { MailboxBinding } from '../wire/index.ts';

export interface MailboxRequest {
  /** A mail store, or a flat mailbox file ending in .md. */
  root: string;
  agentName: string;
  manifestPath: string;
  address?: string | undefined;
  principalId?: string | undefined;
  mode?: 'safe' | 'force' | 'stash' | undefined;
  role?: string | undefined;
}

export interface Bound {
  binding: MailboxBinding;
  /** The mailbox was there before; taking the binding back must leave it. */
  reused: boolean;
}

/** Registers the agent's mailbox in the store, which is made when it is not there, and says how to find it. */
export async function bindMailbox(request: MailboxRequest, clock: Clock): Promise<Bound> {
  const address = request.address
    ? parseAddress(request.address, '--mailbox-address')
    : agentAddress(request.agentName);
  const principal = request.principalId ?? agentPrincipal(request.agentName);
  if (isFlatFilePath(request.root)) return bindFlatFile(request.root, { address, principal }, clock);
  const store = initMailStore({ root: request.root, clock });
  try {
    const result = store.register({
      address,
      owner_principal_id: principal,
      mode: request.mode ?? 'safe',
      display_name: request.agentName,
      manifest_path_hint: request.manifestPath,
      ...(request.role !== undefined && { role: request.role }),
    });
    const root = store.layout.root;
    return {
      reused: result.reused_existing === true,
      binding: {
        transport: 'filesystem',
        principal_id: principal,
        address,
        filesystem_root: root,
        bindings_version: bindingsVersion(clock.now()),
        mailbox_kind: 'in_root',
        mailbox_path: path.join(root, 'mailboxes', address),
      },
    };
  } finally {
    await store.close();
  }
}

/** The file is the mailbox: there is nothing to register, and nothing to take back. */
async function bindFlatFile(
  file: string,
  { address, principal }: { address: string; principal: string },
  clock: Clock,
): Promise<Bound> {
  const directory = agentDirectoryOf(file);
  const parent = path.dirname(directory);
  if (!fs.statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw notFound(`there is no directory ${parent}`, { hint: `make it first: mkdir -p ${parent}` });
  }
  // Refused now if it cannot be one.
  await new FlatFileMailbox({ directory, address, clock }).status();
  return {
    reused: true,
    binding: {
      transport: 'flatfile',
      principal_id: principal,
      address,
      mailbox_path: directory,
      bindings_version: bindingsVersion(clock.now()),
    },
  };
}

/** Takes an address back. `purge` also forgets its folder. */
export async function unbindMailbox(
  binding: MailboxBinding,
  mode: 'deactivate' | 'purge',
  clock: Clock,
): Promise<Record<string, unknown>> {
  if (binding.transport === 'flatfile') {
    if (mode === 'deactivate') return {};
    throw unsupported(`the flat mailbox in ${binding.mailbox_path} is not Rouse's to remove`, {
      hint: 'use --mode deactivate, and remove its files yourself when nobody needs them',
    });
  }
  if (binding.transport !== 'filesystem') {
    throw conflict(`${binding.address} is kept by ${binding.transport}, and is unregistered there`);
  }
  const store = openMailStore({ root: binding.filesystem_root, clock });
  try {
    return { ...store.unregister(binding.address, mode) };
  } finally {
    await store.close();
  }
}

/** The registration the binding names, if it is still the active one and still in the recorded place. */
export async function activeBinding(binding: MailboxBinding, clock: Clock): Promise<boolean> {
  if (binding.transport === 'flatfile')
    return fs.statSync(binding.mailbox_path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (binding.transport !== 'filesystem') return true;
  const store = openMailStore({ root: binding.filesystem_root, clock });
  try {
    return store
      .registrations(binding.address)
      .some(
        (each) =>
          each.status === 'active' &&
          path.resolve(binding.filesystem_root, each.mailbox_path) === path.resolve(binding.mailbox_path),
      );
  } finally {
    await store.close();
  }
}

/** A stamp with microseconds, so that two bindings of one second differ. */
function bindingsVersion(now: Date): string {
  const micros = String(Number(process.hrtime.bigint() % 1000n)).padStart(3, '0');
  return now.toISOString().replace('Z', `${micros}Z`);
}
