import { unavailable } from '../../base/index.ts';
import type { RequestExtras } from '../../client/index.ts';
import {
  codesOf,
  REQUEST_PRIORITIES,
  REQUEST_STATES,
  type RequestOutcome,
  type RequestStage,
} from '../../domain/index.ts';
import type { RequestAccepted } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank, positiveSeconds, wholeNumber } from '../input/flag-values.ts';
import { clockTime } from '../print/local-time.ts';
import { exitCodeOfOutcome } from '../print/outcome-exit.ts';
import { evidence, requestTable, requestText } from './request-print.ts';
import { liveGateway } from './target.ts';
import { PROMPT_FLAG, promptText } from './text.ts';
import { outcomeOf, WAIT_FLAGS, waitFor } from './wait.ts';

const REQUEST_ID = {
  name: 'request-id',
  value: 'ID',
  summary: 'id, as "requests list" shows it',
  required: true,
  parse: notBlank,
} as const satisfies Flag;

const ENVELOPE_FLAGS = [
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key is the same request; other content under it is a conflict',
    parse: notBlank,
  },
  {
    name: 'expires-in-seconds',
    value: 'N',
    summary: 'expire it if it has not started after this time',
    parse: positiveSeconds,
  },
  {
    name: 'priority',
    value: 'PRIORITY',
    choices: REQUEST_PRIORITIES,
    summary: 'its place in the queue',
  },
] as const satisfies readonly Flag[];

function envelope({ flags }: InputOf<typeof ENVELOPE_FLAGS>): RequestExtras {
  const expires = flags.expiresInSeconds;
  const latest = Date.UTC(9999, 11, 31);
  return {
    ...(flags.idempotencyKey !== undefined && { idempotency_key: flags.idempotencyKey }),
    ...(expires !== undefined && {
      expires_at: new Date(Math.min(Date.now() + expires * 1000, latest)).toISOString(),
    }),
    ...(flags.priority !== undefined && { priority: flags.priority }),
  };
}

function acceptedText(accepted: RequestAccepted, what: string): string {
  const { request_id, queue_depth, duplicate, state, outcome } = accepted;
  if (!duplicate) return `${what} accepted: ${request_id} (${queue_depth} queued).`;
  const ended = outcome ? ` (${outcome})` : '';
  return `${what} was already accepted under this key: ${request_id}, now ${state}${ended}.`;
}

async function submit(input: InputOf<typeof SUBMIT_FLAGS>): Promise<Output> {
  const prompt = await promptText(input);
  const gateway = await liveGateway(input);
  const accepted = await gateway.submitPrompt(
    { prompt },
    { ...envelope(input), ...(input.flags.waitInLine === true && { wait_in_line: true }) },
  );
  if (input.flags.wait) return outcomeOf(await waitFor(gateway, accepted.request_id, input));
  return { data: accepted, plain: acceptedText(accepted, 'Prompt') };
}

async function runInterrupt(input: InputOf<typeof INTERRUPT_FLAGS>): Promise<Output> {
  const gateway = await liveGateway(input);
  const { standing } = await gateway.status();
  const idle = standing?.state === 'idle' ? ' The agent is idle, so there may be no turn to stop.' : '';
  const accepted = await gateway.interrupt();
  if (input.flags.wait) return outcomeOf(await waitFor(gateway, accepted.request_id, input));
  return { data: accepted, plain: `${acceptedText(accepted, 'Interrupt')}${idle}` };
}

const INTERRUPT_FLAGS = [...GATEWAY_TARGET_FLAGS, ...WAIT_FLAGS] as const satisfies readonly Flag[];

export const INTERRUPT = command({
  name: 'interrupt',
  summary: 'stop the running turn; goes ahead of everything in the queue',
  examples: ['rouse agents gateway interrupt --agent-name gpu --wait'],
  flags: INTERRUPT_FLAGS,
  run: runInterrupt,
});

async function list(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const { flags } = input;
  const found = await (await liveGateway(input)).call('requests.list', {
    ...(flags.state !== undefined && { state: flags.state }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(flags.before !== undefined && { before: flags.before }),
  });
  return { data: found, plain: requestTable(found) };
}

async function get(input: InputOf<typeof GET_FLAGS>): Promise<Output> {
  const id = input.flags.requestId;
  const gateway = await liveGateway(input);
  if (input.flags.wait) return outcomeOf(await waitFor(gateway, id, input));
  const request = await gateway.getRequest(id);
  return { data: request, plain: requestText(request) };
}

async function cancel(input: InputOf<typeof CANCEL_FLAGS>): Promise<Output> {
  const request = await (await liveGateway(input)).call('requests.cancel', {
    request_id: input.flags.requestId,
  });
  return { data: request, plain: `Request ${request.request_id} is cancelled; it was not typed.` };
}

interface Entry {
  request_id: string;
  stage: RequestStage;
  source: string;
  at_utc: string;
  facts: Record<string, unknown>;
}

/** Prints one line per stage as it happens. With --request-id it ends when the request ends. */
async function watch(input: InputOf<typeof WATCH_FLAGS>): Promise<Output | undefined> {
  const { flags, signal, style, out } = input;
  const id = flags.requestId;
  const after = flags.after === undefined ? undefined : String(flags.after);
  const gateway = await liveGateway(input);
  // Print the whole stored ledger before ending: the stage of a turn may come after the end of its request.
  let stored = id === undefined || after !== undefined ? 0 : (await gateway.getRequest(id)).ledger!.length;
  let end: Output | undefined;
  for await (const event of gateway.events({ after, request_id: id }, signal)) {
    const entry = event.data as Entry;
    out(style === 'json' ? `${JSON.stringify({ event_id: event.id, ...entry })}\n` : `${entryLine(entry)}\n`);
    stored--;
    if (id !== undefined && entry.stage === 'finished')
      end = outputOf(entry.facts['outcome'] as RequestOutcome);
    if (end && stored <= 0) return end;
  }
  if (id === undefined || signal.aborted) return undefined;
  const { outcome } = await gateway.getRequest(id);
  if (outcome === null) throw unavailable('the gateway ended the stream before the request had ended');
  return outputOf(outcome);
}

function entryLine({ request_id, stage, source, at_utc, facts }: Entry): string {
  return `${clockTime(at_utc)}  ${request_id}  ${stage.padEnd(13)}  ${source}  ${evidence(facts)}`.trimEnd();
}

function outputOf(outcome: RequestOutcome): Output {
  return { data: undefined, exitCode: exitCodeOfOutcome(outcome) ?? 0 };
}

const SUBMIT_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  PROMPT_FLAG,
  ...ENVELOPE_FLAGS,
  {
    name: 'wait-in-line',
    summary: 'wait in the queue instead of being refused while a headless agent is working on another prompt',
  },
  ...WAIT_FLAGS,
] as const satisfies readonly Flag[];

const LIST_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'state',
    value: 'STATE',
    choices: codesOf(REQUEST_STATES),
    summary: 'only those in this state',
  },
  {
    name: 'limit',
    value: 'N',
    summary: 'maximum number to show',
    parse: wholeNumber(1, 1000),
    default: 20,
  },
  {
    name: 'before',
    value: 'SEQUENCE',
    summary: 'only older ones (next page)',
    parse: wholeNumber(1),
  },
] as const satisfies readonly Flag[];

const GET_FLAGS = [...GATEWAY_TARGET_FLAGS, REQUEST_ID, ...WAIT_FLAGS] as const satisfies readonly Flag[];

const CANCEL_FLAGS = [...GATEWAY_TARGET_FLAGS, REQUEST_ID] as const satisfies readonly Flag[];

const WATCH_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { ...REQUEST_ID, required: false, summary: 'only this request, from beginning to end' },
  { name: 'after', value: 'EVENT', summary: 'start after this event', parse: wholeNumber(0) },
] as const satisfies readonly Flag[];

const requestsGroup: Command = {
  name: 'requests',
  summary: 'prompts and interrupts in the durable queue: submit, list, cancel, follow',
  subcommands: [
    command({
      name: 'submit',
      summary: 'queue a prompt; it is typed once the agent may be disturbed',
      description:
        'Stores the prompt durably and returns at once; it is typed when the agent is ready, exactly ' +
        'once, even if the gateway restarts. With --wait the command returns when the request has ended, ' +
        'with its ledger and an exit code for the outcome.',
      examples: [
        'rouse agents gateway requests submit --agent-name gpu --prompt "Run the tests."',
        'rouse agents gateway requests submit --agent-name gpu --idempotency-key nightly-7 --wait < prompt.md',
      ],
      flags: SUBMIT_FLAGS,
      run: submit,
    }),
    command({
      name: 'list',
      summary: 'requests, newest first',
      examples: [
        'rouse agents gateway requests list --agent-name gpu',
        'rouse agents gateway requests list --agent-name gpu --state accepted',
      ],
      flags: LIST_FLAGS,
      run: list,
    }),
    command({
      name: 'get',
      summary: 'one request with its ledger: every stage, and what proves it',
      examples: [
        'rouse agents gateway requests get --agent-name gpu --request-id gwreq-20260416-091402Z-0a1b2c3d',
      ],
      flags: GET_FLAGS,
      run: get,
    }),
    command({
      name: 'cancel',
      summary: 'remove a request from the queue; one that has started cannot be cancelled',
      examples: [
        'rouse agents gateway requests cancel --agent-name gpu --request-id gwreq-20260416-091402Z-0a1b2c3d',
      ],
      flags: CANCEL_FLAGS,
      run: cancel,
    }),
    command({
      name: 'watch',
      summary: 'every stage of every request, as it happens',
      description:
        'Prints one line per stage until Ctrl-C; with --print-json one JSON object per line. With --request-id it prints ' +
        'the whole life of that request and ends when it does.',
      examples: [
        'rouse agents gateway requests watch --agent-name gpu',
        'rouse agents gateway requests watch --agent-name gpu --after 120 --print-json   # continue after event 120',
      ],
      flags: WATCH_FLAGS,
      run: watch,
    }),
  ],
};

export default requestsGroup;
