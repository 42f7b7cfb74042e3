import { invalid, notFound } from '../../base/index.ts';
import type { TicketPage, TicketsClient } from '../../client/index.ts';
import type { CreateRequestInput, InboxRequestList, RespondRequestInput } from '../../wire/index.ts';
import type { Input, Output } from '../command.ts';
import { bodyText } from '../input/body-text.ts';
import { fleetOf } from './access.ts';
import { threadText, ticketTable } from './requests-print.ts';

async function clientOf(input: Input): Promise<TicketsClient> {
  const { TicketsClient } = await import('../../client/index.ts');
  return new TicketsClient(await fleetOf(input), input.flags['workspaceId'] as string | undefined);
}

export async function create(input: Input): Promise<Output> {
  const { flags } = input;
  const body = {
    kind: flags['kind'] as CreateRequestInput['kind'],
    title: flags['title'] as string,
    ...recipientOf(input),
    ...(flags['detail'] !== undefined && { detail: flags['detail'] as string }),
    ...(flags['priority'] !== undefined && { priority: flags['priority'] as number }),
    ...(flags['idempotencyKey'] !== undefined && { idempotency_key: flags['idempotencyKey'] as string }),
    ...(await orgOf(input)),
  };
  const made = await (await clientOf(input)).create(body);
  const word = made.idempotent_hit ? 'Asked before' : 'Asked';
  return { data: made, plain: `${word}: ${made.request_id} (${made.status})` };
}

function recipientOf({ flags }: Input): Pick<CreateRequestInput, 'recipient_type' | 'recipient_id'> {
  const { toAgent, toUser, toAnybody } = flags as { toAgent?: string; toUser?: string; toAnybody?: boolean };
  if ([toAgent, toUser, toAnybody].filter((each) => each !== undefined && each !== false).length !== 1) {
    throw invalid('say who is asked: exactly one of --to-agent, --to-user or --to-anybody');
  }
  if (toAgent !== undefined) return { recipient_type: 'agent', recipient_id: toAgent };
  return { recipient_type: 'user', recipient_id: toUser ?? '' };
}

async function pageOf(input: Input): Promise<TicketPage> {
  const names = ['status', 'kind', 'limit', 'cursor'];
  const pairs = names.map((name) => [name, input.flags[name]]);
  return {
    ...Object.fromEntries(pairs.filter(([, value]) => value !== undefined)),
    ...(await orgOf(input)),
  };
}

/** The org by its name, or by its id where somebody has that. */
async function orgOf(input: Input): Promise<{ org_id?: string }> {
  const named = input.flags['org'] as string | undefined;
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

export async function inbox(input: Input): Promise<Output> {
  return listed(await (await clientOf(input)).inbox(await pageOf(input)), ['requester']);
}

export async function sent(input: Input): Promise<Output> {
  return listed(await (await clientOf(input)).sent({ status: 'all', ...(await pageOf(input)) }), [
    'recipient',
  ]);
}

export async function pending(input: Input): Promise<Output> {
  const to = input.flags['to'] as string | undefined;
  const page = { ...(await pageOf(input)), ...(to && { recipient_type: to }) };
  return listed(await (await clientOf(input)).pending(page), ['requester', 'recipient']);
}

const idOf = ({ args }: Input): string => args[0]!;

export async function show(input: Input): Promise<Output> {
  const thread = await (await clientOf(input)).get(idOf(input), await pageOf(input));
  return { data: thread, plain: threadText(thread, Date.now()) };
}

export async function respond(input: Input): Promise<Output> {
  const note = input.flags['note'] as string | undefined;
  const body = {
    action: input.args[1] as RespondRequestInput['action'],
    ...(note !== undefined && { note }),
  };
  const changed = await (await clientOf(input)).respond(idOf(input), body);
  return { data: changed, plain: `Answered: ${changed.status}.` };
}

export async function message(input: Input): Promise<Output> {
  const body = await bodyText(input);
  const added = await (await clientOf(input)).message(idOf(input), body);
  return { data: added, plain: `Sent; the request is ${added.request_status} now.` };
}

export async function cancel(input: Input): Promise<Output> {
  const changed = await (await clientOf(input)).cancel(idOf(input));
  return { data: changed, plain: 'Cancelled.' };
}
