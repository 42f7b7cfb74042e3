import { commandLine, invalid, isRouseError, notFound, RouseError } from '../../base/index.ts';
import type { TicketPage, TicketsClient } from '../../client/index.ts';
import type { CreateRequestInput, InboxRequestList, RespondRequestInput } from '../../wire/index.ts';
import type { FlagsOf, Input, InputOf, Output } from '../command.ts';
import { bodyText } from '../input/body-text.ts';
import { type FLEET_FLAGS, fleetOf } from './access.ts';
import type {
  CREATE_FLAGS,
  INBOX_FLAGS,
  MESSAGE_FLAGS,
  PENDING_FLAGS,
  RESPOND_FLAGS,
  SENT_FLAGS,
  SHOW_FLAGS,
} from './requests-flags.ts';
import { threadText, ticketTable } from './requests-print.ts';

type FleetInput = InputOf<typeof FLEET_FLAGS>;

async function clientOf(input: FleetInput, workspaceId?: string): Promise<TicketsClient> {
  const { TicketsClient } = await import('../../client/index.ts');
  return new TicketsClient(await fleetOf(input), workspaceId);
}

export async function create(input: InputOf<typeof CREATE_FLAGS>): Promise<Output> {
  const { flags } = input;
  const body = {
    kind: flags.kind,
    title: flags.title,
    ...recipientOf(input),
    ...(flags.detail !== undefined && { detail: flags.detail }),
    ...(flags.priority !== undefined && { priority: flags.priority }),
    ...(flags.idempotencyKey !== undefined && { idempotency_key: flags.idempotencyKey }),
    ...(await orgOf(input)),
  };
  const client = await clientOf(input);
  const made = await client.create(body).catch(async (error) => {
    throw await withRegistration(input, error);
  });
  const word = made.idempotent_hit ? 'Already asked' : 'Asked';
  return { data: made, plain: `${word}: ${made.request_id} (${made.status})` };
}

/** An agent of this host that was launched without the fleet is unknown there until it is registered. */
async function withRegistration(
  { flags, settings }: InputOf<typeof CREATE_FLAGS>,
  error: unknown,
): Promise<unknown> {
  const { toAgent } = flags;
  if (toAgent === undefined || !isRouseError(error) || error.code !== 'not_found') return error;
  const { hasAgent } = await import('../../session/index.ts');
  if (!hasAgent(settings.registryDir, toAgent)) return error;
  const { code, message, facts } = error;
  const hint = `it runs on this host and is not in that fleet: "${commandLine`rouse fleet register ${toAgent}`}" registers it`;
  return new RouseError(code, message, { hint, facts, cause: error });
}

function recipientOf({
  flags,
}: InputOf<typeof CREATE_FLAGS>): Pick<CreateRequestInput, 'recipient_type' | 'recipient_id'> {
  const { toAgent, toUser, toAnybody } = flags;
  if ([toAgent, toUser, toAnybody].filter((each) => each !== undefined && each !== false).length !== 1) {
    throw invalid('name the recipient: exactly one of --to-agent, --to-user or --to-anybody');
  }
  if (toAgent !== undefined) return { recipient_type: 'agent', recipient_id: toAgent };
  return { recipient_type: 'user', recipient_id: toUser ?? '' };
}

type PageFlags = FlagsOf<typeof SHOW_FLAGS> & Partial<FlagsOf<typeof PENDING_FLAGS>>;

async function pageOf(input: Input<PageFlags>): Promise<TicketPage> {
  const { status, kind, limit, cursor } = input.flags;
  const given = Object.entries({ status, kind, limit, cursor }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(await orgOf(input)) };
}

/** The org, by name or id. */
async function orgOf(
  input: Input<FlagsOf<typeof FLEET_FLAGS> & { org?: string | undefined }>,
): Promise<{ org_id?: string }> {
  const named = input.flags.org;
  if (named === undefined) return {};
  const { orgs } = await (await fleetOf(input)).call('admin.orgs.list', {});
  const found = orgs.find(({ name, org_id }) => name === named || org_id === named.toLowerCase());
  if (found) return { org_id: found.org_id };
  throw notFound(`there is no org "${named}"`, { hint: '"rouse fleet orgs" lists those you may see' });
}

const listed = (data: InboxRequestList, sides: Parameters<typeof ticketTable>[1]): Output => ({
  data,
  plain: ticketTable(data, sides, Date.now()),
});

export async function inbox(input: InputOf<typeof INBOX_FLAGS>): Promise<Output> {
  return listed(await (await clientOf(input, input.flags.workspaceId)).inbox(await pageOf(input)), [
    'requester',
  ]);
}

export async function sent(input: InputOf<typeof SENT_FLAGS>): Promise<Output> {
  return listed(
    await (await clientOf(input, input.flags.workspaceId)).sent({ status: 'all', ...(await pageOf(input)) }),
    ['recipient'],
  );
}

export async function pending(input: InputOf<typeof PENDING_FLAGS>): Promise<Output> {
  const to = input.flags.to;
  const page = { ...(await pageOf(input)), ...(to && { recipient_type: to }) };
  return listed(await (await clientOf(input)).pending(page), ['requester', 'recipient']);
}

const idOf = ({ args }: FleetInput): string => args[0]!;

export async function show(input: InputOf<typeof SHOW_FLAGS>): Promise<Output> {
  const thread = await (await clientOf(input)).get(idOf(input), await pageOf(input));
  return { data: thread, plain: threadText(thread, Date.now()) };
}

export async function respond(input: InputOf<typeof RESPOND_FLAGS>): Promise<Output> {
  const note = input.flags.note;
  const body = {
    action: input.args[1] as RespondRequestInput['action'],
    ...(note !== undefined && { note }),
  };
  const changed = await (await clientOf(input)).respond(idOf(input), body);
  return { data: changed, plain: `Answered: ${changed.status}.` };
}

export async function message(input: InputOf<typeof MESSAGE_FLAGS>): Promise<Output> {
  const body = await bodyText(input);
  const added = await (await clientOf(input)).message(idOf(input), body);
  return { data: added, plain: `Sent; the request is ${added.request_status} now.` };
}

export async function cancel(input: InputOf<typeof FLEET_FLAGS>): Promise<Output> {
  const changed = await (await clientOf(input)).cancel(idOf(input));
  return { data: changed, plain: 'Cancelled.' };
}
