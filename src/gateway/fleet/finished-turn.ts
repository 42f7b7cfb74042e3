import type { Sqlite } from '../../db/index.ts';
import type { TurnReport } from '../../wire/index.ts';

/** Longer answers are cut, and `answer_cut` says so. */
const MAX_ANSWER_CHARS = 64_000;

/** The end of a request's turn from the ledger, with the tool's answer if it reported one; undefined before it ends. */
export function finishedTurn(
  db: Sqlite,
  requestId: string,
): Omit<TurnReport, 'id' | 'request_id'> | undefined {
  const entry = db.get<{ source: string; at_utc: string; facts_json: string }>(
    `SELECT source, at_utc, facts_json FROM gateway_request_ledger WHERE request_id = ? AND stage = 'turn_finished'
      ORDER BY entry_id DESC LIMIT 1`,
    [requestId],
  );
  if (!entry) return undefined;
  const { result, answer, exit_code: exitCode } = JSON.parse(entry.facts_json) as Record<string, unknown>;
  const text = typeof answer === 'string' ? wireText(answer) : '';
  return {
    state: 'finished',
    at: entry.at_utc,
    result: typeof result === 'string' ? result : exitCode === 0 ? 'success' : 'known_failure',
    evidence: entry.source,
    ...(text !== '' && {
      answer: wireText(text.slice(0, MAX_ANSWER_CHARS)),
      answer_cut: text.length > MAX_ANSWER_CHARS,
    }),
  };
}

/** Removes from a terminal's text what JSON in a database refuses: NUL and halves of surrogate pairs. */
export function wireText(text: string): string {
  return Buffer.from(text).toString().replaceAll('\u0000', '');
}
