import { preview } from '../../base/index.ts';
import { duration } from '../../domain/index.ts';
import type { RequestList, RequestView } from '../../wire/index.ts';
import { clockTime, dayAndTime, utcMark } from '../print/local-time.ts';
import { keyValues, show, table } from '../print/table.ts';
import { timesInText } from '../print/times-in-text.ts';

/** The state of a request: `completed (submitted)`, `accepted, waits: dialog='permission'`. */
export function stateText({ state, outcome, waiting_reason, error_detail }: RequestView): string {
  if (outcome === 'coalesced') return error_detail ?? outcome;
  if (outcome !== null && outcome !== 'submitted') return `${state} (${outcome}): ${error_detail ?? outcome}`;
  if (outcome !== null) return `${state} (${outcome})`;
  return waiting_reason ? `${state}, waits: ${timesInText(waiting_reason)}` : state;
}

export function requestTable({ requests, queue_depth }: RequestList): string {
  const line = `${queue_depth} queued or running.`;
  if (requests.length === 0) return `No requests. ${line}`;
  const rows = table(requests, [
    { title: 'request_id', value: (r) => r.request_id },
    { title: 'accepted', value: (r) => dayAndTime(r.accepted_at_utc) },
    { title: 'kind', value: (r) => r.request_kind },
    { title: 'source', value: (r) => r.source },
    { title: 'prio', value: (r) => r.priority, right: true },
    { title: 'state', value: stateText, max: 60 },
    { title: 'prompt', value: (r) => promptPreview(r, 40) },
  ]);
  return `${line}\n\n${rows}`;
}

/** One request with its ledger: every stage, when, who saw it, and the evidence. */
export function requestText(request: RequestView): string {
  const { ledger = [] } = request;
  const head = keyValues({
    request: request.request_id,
    kind: request.request_kind,
    state: stateText(request),
    source: request.source,
    priority: request.priority,
    epoch: request.managed_agent_instance_epoch,
    accepted: dayAndTime(request.accepted_at_utc),
    ...(request.expires_at_utc && { expires: dayAndTime(request.expires_at_utc) }),
    ...(request.finished_at_utc && { finished: dayAndTime(request.finished_at_utc) }),
    ...(promptPreview(request, 100) && { prompt: promptPreview(request, 100) }),
    ...(resultText(request) && { result: resultText(request) }),
  });
  const rows = ledger.map((entry, i) => ({ ...entry, before: ledger[i - 1]?.at_utc }));
  if (rows.length === 0) return head;
  const stages = table(rows, [
    { title: `time${utcMark()}`, value: (e) => clockTime(e.at_utc) },
    {
      title: 'after',
      value: (e) =>
        e.before ? `+${duration(Math.max(0, Date.parse(e.at_utc) - Date.parse(e.before)))}` : '',
      right: true,
    },
    { title: 'stage', value: (e) => e.stage },
    { title: 'seen by', value: (e) => e.source },
    { title: 'evidence', value: (e) => evidence(e.facts), max: 120 },
  ]);
  return `${head}\n\n${stages}`;
}

/** Evidence of the end that no stage has: the keys an interrupt pressed, and the screen it pressed them into. */
function resultText({ result, ledger = [] }: RequestView): string {
  const found = (result?.['evidence'] ?? []) as { source: string; facts: Record<string, unknown> }[];
  const shown = new Set(ledger.map(({ facts }) => JSON.stringify(facts)));
  return found
    .filter(({ facts }) => !shown.has(JSON.stringify(facts)))
    .map(({ source, facts }) => `${source}: ${evidence(facts)}`)
    .join('; ');
}

/** Facts on one line: `row_id=12 matched=yes`. Empty ones are left out. */
export function evidence(facts: Record<string, unknown>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${show(value)}`)
    .join('  ');
}

export function promptPreview({ payload }: RequestView, max: number): string {
  const { prompt } = payload as { prompt?: unknown };
  return typeof prompt === 'string' ? preview(prompt, max) : '';
}
