import type { UnregisterMode } from '../domain/index.ts';
import type {
  BindRequest,
  Bound,
  MailboxBinding,
  MailKeeper,
  MailSurroundings,
  OpenedMailbox,
} from './transport.ts';
import { transportAt, transportNamed, transportOf } from './transports.ts';

const keeperOf = (binding: MailboxBinding): Promise<MailKeeper> => transportOf(binding).keeper();

/** Opens the mailbox of a binding, whatever its transport. */
export async function openMailbox(binding: MailboxBinding, on: MailSurroundings): Promise<OpenedMailbox> {
  return (await keeperOf(binding)).open(binding, on);
}

/** Opens the mailbox at a path. `transport` overrides the one that the path implies. */
export async function openMailboxAt(
  place: string,
  { address, transport }: { address?: string | undefined; transport?: string | undefined } = {},
): Promise<OpenedMailbox> {
  const keeper = await (transportNamed(transport) ?? transportAt(place)).keeper();
  return keeper.openAt(place, address);
}

/** Registers a mailbox for an agent at the requested place and returns its binding. */
export async function bindMailbox(request: BindRequest, on: MailSurroundings): Promise<Bound> {
  const transport = transportNamed(request.transport) ?? transportAt(request.place);
  return (await transport.keeper()).bind(request, on);
}

export async function unbindMailbox(
  binding: MailboxBinding,
  mode: UnregisterMode,
  on: MailSurroundings,
): Promise<Record<string, unknown>> {
  return (await keeperOf(binding)).unbind(binding, mode, on);
}

export async function isMailboxActive(binding: MailboxBinding, on: MailSurroundings): Promise<boolean> {
  return (await keeperOf(binding)).isActive(binding, on);
}

/** Returns where the parts of the mailbox are, under the name of its transport. */
export async function describeMailbox(binding: MailboxBinding): Promise<Record<string, unknown>> {
  return { [binding.transport]: (await keeperOf(binding)).describe(binding) };
}
