import * as fs from 'node:fs';
import {
  cleanLine,
  cleanText,
  type DayState,
  type DayTurn,
  type DayWake,
  REQUEST_KINDS,
  REQUEST_OUTCOMES,
  REQUEST_STATES,
  type RepeatedWakes,
} from '../../domain/index.ts';
import { type GatewayRecords, openGatewayRecords } from '../../gateway/offline.ts';
import type { RequestView } from '../../wire/index.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { DaySpan } from './day-span.ts';
import { statesBetween } from './day-states.ts';

const MAX_REQUESTS = 500;
const PAGE = 200;
/** Longer texts are cut. */
export const MAX_TEXT = 8000;
const MAX_DETAIL = 300;

/** A turn with the text that was typed, by which the tool's own record of it is found. */
export interface TypedTurn {
  turn: DayTurn;
  text: string;
}

export interface QueueDay {
  turns: TypedTurn[];
  wakes: DayWake[];
  states: DayState[];
  repeated: RepeatedWakes[];
  truncated: boolean;
}

/** Whether the session may have done anything since then: its queue or the tool's reports were written. */
export function wroteSince({ root }: ManifestFacts, fromUtc: string): boolean {
  const { queue, signals, manifest } = sessionPaths(root);
  return [queue, `${queue}-wal`, signals, manifest].some(
    (file) => (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= Date.parse(fromUtc),
  );
}

/** Reads the records of a gateway; undefined before there are any. */
export type ReadRecords = <T>(gatewayRoot: string, read: (records: GatewayRecords) => T) => T | undefined;

/** Opens them once more, for a caller that keeps none open. */
export const readOnce: ReadRecords = (gatewayRoot, read) => {
  const records = openGatewayRecords(gatewayRoot);
  try {
    return read(records);
  } finally {
    records.close();
  }
};

const NOTHING: QueueDay = { turns: [], wakes: [], states: [], repeated: [], truncated: false };

/** The prompts, wakes and states of one session, oldest first. */
export function queueDay({ root }: ManifestFacts, span: DaySpan, read: ReadRecords): QueueDay {
  const paths = sessionPaths(root);
  if (!fs.existsSync(paths.queue)) return NOTHING;
  return read(paths.gateway, (records) => dayIn(records, span)) ?? NOTHING;
}

function dayIn(records: GatewayRecords, span: DaySpan): QueueDay {
  const { requests, truncated } = between(records.requests, span);
  const turns = requests.flatMap((request) => turnOf(records.request(request.request_id)));
  const wakes = requests.filter(({ request_kind: kind }) => REQUEST_KINDS[kind].item === 'wake').map(wakeOf);
  return {
    turns: turns.reverse(),
    wakes: wakes.reverse(),
    states: statesBetween(records, span),
    repeated: repeatedWakes(records, span),
    truncated,
  };
}

const MAX_DECISIONS = 2000;

/** Wakes one after the other for the same unchanged mail. */
function repeatedWakes(records: GatewayRecords, { fromUtc, toUtc }: DaySpan): RepeatedWakes[] {
  const found = new Map<string, RepeatedWakes>();
  for (const decision of records.decisions(MAX_DECISIONS)) {
    const { outcome, poll_time_utc: at_utc, unread_digest: digest, unread_count: mails } = decision;
    const at = Date.parse(at_utc);
    if (at < Date.parse(fromUtc)) break;
    if (outcome !== 'enqueued' || digest === null || at > Date.parse(toUtc)) continue;
    const known = found.get(digest);
    if (known) known.times++;
    else found.set(digest, { at_utc, times: 1, mails: mails ?? 1 });
  }
  return [...found.values()].filter(({ times }) => times > 1);
}

type List = (limit: number, before?: number) => RequestView[];

/** Newest first. */
function between(list: List, { fromUtc, toUtc }: DaySpan): { requests: RequestView[]; truncated: boolean } {
  const requests: RequestView[] = [];
  let before: number | undefined;
  for (;;) {
    const page = list(PAGE, before);
    for (const request of page) {
      const at = Date.parse(request.accepted_at_utc);
      if (at < Date.parse(fromUtc)) return { requests, truncated: false };
      if (at > Date.parse(toUtc)) continue;
      if (requests.length === MAX_REQUESTS) return { requests, truncated: true };
      requests.push(request);
    }
    if (page.length < PAGE) return { requests, truncated: false };
    before = page.at(-1)!.sequence;
  }
}

const ORIGIN = { prompt: 'prompt', wake: 'wake' } as const;

/** The turn of a prompt that reached the tool, or one that did not although it should have. */
function turnOf(request: RequestView): TypedTurn[] {
  const { request_kind: kind, request_id, outcome, payload, ledger = [], state } = request;
  const { item } = REQUEST_KINDS[kind];
  if (item === 'interrupt') return [];
  const submitted = ledger.find(({ stage }) => stage === 'submitted');
  // A wake that was not typed has no turn; the list of wakes has it.
  if (!submitted && item === 'wake') return [];
  const ended = ledger.findLast(({ stage }) => stage === 'turn_finished');
  const text = String(payload['prompt'] ?? '');
  const answer = ended?.facts['answer'];
  const turn: DayTurn = {
    at_utc: submitted?.at_utc ?? request.accepted_at_utc,
    ended_at_utc: ended?.at_utc ?? null,
    by: kind === 'a2a_prompt' ? 'fleet' : ORIGIN[item],
    prompt: item === 'wake' ? null : cleanText(text, MAX_TEXT),
    outcome: endWords(ended?.facts['result']) ?? outcome ?? REQUEST_STATES[state].words,
    trouble: outcome !== null && REQUEST_OUTCOMES[outcome].trouble,
    answer: typeof answer === 'string' && answer !== '' ? cleanText(answer, MAX_TEXT) : null,
    request_id,
  };
  return [{ turn, text }];
}

const ENDS: Readonly<Record<string, string>> = {
  success: 'done',
  interrupted: 'interrupted',
  known_failure: 'failed',
};

export const endWords = (result: unknown): string | undefined => ENDS[String(result)];

function wakeOf({ accepted_at_utc, outcome, state, error_detail }: RequestView): DayWake {
  return {
    at_utc: accepted_at_utc,
    outcome: outcome ?? REQUEST_STATES[state].words,
    typed: outcome === 'submitted',
    trouble: outcome !== null && REQUEST_OUTCOMES[outcome].trouble,
    detail: error_detail === null ? null : cleanLine(error_detail, MAX_DETAIL),
  };
}
