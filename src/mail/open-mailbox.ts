import type { Clock } from '../base/index.ts';
import type {
  BindRequest,
  Bound,
  MailboxBinding,
  MailKeeper,
  OpenedMailbox,
  UnregisterMode,
} from './transport.ts';
import { transportAt, transportNamed, transportOf } from './transports.ts';

const keeperOf = (binding: MailboxBinding): Promise<MailKeeper> => transportOf(binding).keeper();

/** Opens the mailbox a binding names, whatever it is kept in. */
export async function openMailbox(binding: MailboxBinding, clock: Clock): Promise<OpenedMailbox> {
  return (await keeperOf(binding)).open(binding, clock);
}

/** Opens the mailbox a path names; `transport` when the path alone would tell another one. */
export async function openMailboxAt(
  place: string,
  { address, transport }: { address?: string | undefined; transport?: string | undefined } = {},
): Promise<OpenedMailbox> {
  const keeper = await (transportNamed(transport) ?? transportAt(place)).keeper();
  return keeper.openAt(place, address);
}

/** A mailbox for an agent in the place that is named: registered there, and how to find it. */
export async function bindMailbox(request: BindRequest, clock: Clock): Promise<Bound> {
  return (await transportAt(request.place).keeper()).bind(request, clock);
}

export async function unbindMailbox(
  binding: MailboxBinding,
  mode: UnregisterMode,
  clock: Clock,
): Promise<Record<string, unknown>> {
  return (await keeperOf(binding)).unbind(binding, mode, clock);
}

export async function isMailboxActive(binding: MailboxBinding, clock: Clock): Promise<boolean> {
  return (await keeperOf(binding)).isActive(binding, clock);
}

/** Where the parts of the mailbox are, under the name of its transport. */
export async function describeMailbox(binding: MailboxBinding): Promise<Record<string, unknown>> {
  return { [binding.transport]: (await keeperOf(binding)).describe(binding) };
}
