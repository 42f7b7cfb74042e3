import * as z from 'zod';
import { preview } from '../base/index.ts';
import {
  codesOf,
  KINDS_AND_ANSWERS,
  KINDS_AND_MEANINGS,
  PARTY_TYPES,
  TICKET_ANSWERS,
  TICKET_FILTERS,
  TICKET_KINDS,
} from '../domain/index.ts';
import {
  type InboxRequest,
  type InboxRequestList,
  inboxRequest,
  inboxRequestList,
  inboxRequestThread,
  MAX_KEY_LENGTH,
  MAX_REQUEST_TEXT_LENGTH,
  MAX_TITLE_LENGTH,
  requestChanged,
  requestCreated,
  requestMessageAdded,
} from '../wire/index.ts';
import { tool, withoutUndefined } from './tool.ts';

/** Lists show the beginning; get_request shows the whole text. */
const PREVIEW = 200;

const workspace_id = z
  .string()
  .max(200)
  .optional()
  .describe("The agent's workspace id. Leave it out for your own.");
const request_id = z.string().max(200).describe('The id of the request, as the lists show it.');
const page = {
  workspace_id,
  kind: z.enum(codesOf(TICKET_KINDS)).optional().describe('Only these.'),
  limit: z.int().min(1).max(200).optional().describe('Maximum number. Default 20.'),
  cursor: z.string().max(1000).optional().describe('`next_cursor` of the page before.'),
};
const status = z.enum(TICKET_FILTERS).optional();

function shortened({ requests, ...rest }: InboxRequestList, other: 'requester' | 'recipient'): object {
  return { ...rest, requests: requests.map((row) => line(row, other)) };
}

function line(row: InboxRequest, other: 'requester' | 'recipient'): object {
  const name = row[`${other}_name`] ?? (row[`${other}_id`] || 'anyone in the org');
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    [other]: `${row[`${other}_type`]} ${name}`,
    status: row.status,
    turn: row.turn,
    priority: row.priority,
    created_at: row.created_at,
    ...(row.detail !== null && { detail: preview(row.detail, PREVIEW) }),
  };
}

const shortList = (other: 'requester' | 'recipient') =>
  inboxRequestList.extend({
    requests: z.array(
      inboxRequest
        .pick({
          id: true,
          kind: true,
          title: true,
          status: true,
          turn: true,
          priority: true,
          created_at: true,
        })
        .extend({
          [other]: z.string().describe('`agent` or `user`, and the name.'),
          detail: z.string().optional().describe('Its beginning; get_request shows all of it.'),
        }),
    ),
  });

export const TICKET_TOOLS = [
  tool({
    name: 'create_request',
    title: 'Ask an agent or a person',
    description:
      'Files a task or an approval for another agent or a person and returns at once; the answer comes later, as a notice ' +
      'and in check_requests. To a person: leave recipient_id out to ask anyone in the org; the first answer counts.',
    input: {
      kind: z.enum(codesOf(TICKET_KINDS)).describe(KINDS_AND_MEANINGS),
      recipient_type: z.enum(PARTY_TYPES),
      recipient_id: z
        .string()
        .max(2 * MAX_TITLE_LENGTH)
        .optional()
        .describe("An agent's name, agent id or workspace id; a person's name. Needed for an agent."),
      title: z
        .string()
        .max(2 * MAX_TITLE_LENGTH)
        .describe('One line, at most 200 characters.'),
      detail: z
        .string()
        .max(2 * MAX_REQUEST_TEXT_LENGTH)
        .optional()
        .describe('Markdown: all that is needed to do it without asking back.'),
      priority: z.int().min(0).max(100).optional().describe('Higher is more urgent.'),
      idempotency_key: z
        .string()
        .max(2 * MAX_KEY_LENGTH)
        .optional()
        .describe('The same key again is the same request.'),
      workspace_id,
    },
    output: requestCreated,
    run: async ({ workspace_id: of, ...wanted }, { tickets }) =>
      (await tickets(of)).create(
        withoutUndefined(wanted) as Parameters<Awaited<ReturnType<typeof tickets>>['create']>[0],
      ),
  }),
  tool({
    name: 'list_inbox',
    title: 'Requests for you',
    description:
      'The requests addressed to you, most urgent first, then oldest. Open ones unless you say otherwise. Read one with ' +
      'get_request, answer it with respond_request.',
    input: { status: status.describe('Default open.'), ...page },
    output: shortList('requester'),
    readOnly: true,
    run: async ({ workspace_id: of, limit = 20, ...wanted }, { tickets }) =>
      shortened(await (await tickets(of)).inbox({ limit, ...wanted }), 'requester'),
  }),
  tool({
    name: 'check_requests',
    title: 'The requests you made, and their answers',
    description:
      'The requests you made, newest first, answered or not. Read the answer and its note with get_request.',
    input: { status: status.describe('Default all.'), ...page },
    output: shortList('recipient'),
    readOnly: true,
    run: async ({ workspace_id: of, limit = 20, status: wanted = 'all', ...more }, { tickets }) =>
      shortened(await (await tickets(of)).sent({ limit, status: wanted, ...more }), 'recipient'),
  }),
  tool({
    name: 'get_request',
    title: 'One request with its thread',
    description: 'A request from you or to you, in full, with the newest messages of its thread.',
    input: {
      request_id,
      workspace_id,
      limit: z.int().min(1).max(200).optional().describe('Maximum number of messages. Default 50.'),
      cursor: z.string().max(1000).optional().describe('`earlier_cursor`, for the messages before.'),
    },
    output: inboxRequestThread,
    readOnly: true,
    run: async ({ workspace_id: of, request_id: id, ...wanted }, { tickets }) =>
      (await tickets(of)).get(id, wanted),
  }),
  tool({
    name: 'respond_request',
    title: 'Answer a request',
    description:
      `Closes a request that is addressed to you: ${KINDS_AND_ANSWERS}. ` +
      'Put your comment into message; it is kept with the answer.',
    input: {
      request_id,
      action: z.enum(TICKET_ANSWERS),
      message: z
        .string()
        .max(2 * MAX_REQUEST_TEXT_LENGTH)
        .optional()
        .describe('A closing note for the requester.'),
      workspace_id,
    },
    output: requestChanged,
    run: async ({ workspace_id: of, request_id: id, action, message }, { tickets }) =>
      (await tickets(of)).respond(id, withoutUndefined({ action, note: message })),
  }),
  tool({
    name: 'add_request_message',
    title: 'Ask back, or reply',
    description:
      'Adds a message to the thread of an open request. If you were asked, it asks the requester for more and waits for ' +
      'them; if you asked, it hands the request back to the recipient.',
    input: { request_id, body: z.string().max(2 * MAX_REQUEST_TEXT_LENGTH), workspace_id },
    output: requestMessageAdded,
    run: async ({ workspace_id: of, request_id: id, body }, { tickets }) =>
      (await tickets(of)).message(id, body),
  }),
  tool({
    name: 'cancel_request',
    title: 'Withdraw a request',
    description: 'Withdraws an open request of yours. The recipient is asked to stop.',
    input: { request_id, workspace_id },
    output: requestChanged,
    destructive: true,
    run: async ({ workspace_id: of, request_id: id }, { tickets }) => (await tickets(of)).cancel(id),
  }),
];
