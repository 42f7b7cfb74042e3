import type { Step } from '../model/plan-answer.ts';

const WAKE = /^Gateway: (http:\/\/127\.0\.0\.1:\d+) /m;

export function isWake(prompt: string): boolean {
  return WAKE.test(prompt);
}

/**
 * A model that follows the notifier's prompt and knows nothing else: lists open mail at the
 * address in it, reads the oldest, archives everything it listed, and stops.
 */
export function actOnMail(prompt: string, results: string[]): Step | undefined {
  const baseUrl = WAKE.exec(prompt)?.[1];
  if (baseUrl === undefined) return undefined;
  const post = (name: string, body: object): Step => ({
    sh: `curl -sS -X POST -H content-type:application/json -d '${JSON.stringify(body)}' ${baseUrl}/v1/mail/${name}`,
  });
  const listed = [...(results[0] ?? '').matchAll(/message_ref\\*": ?\\*"([^"\\]+)/g)].map(([, ref]) => ref!);
  if (results.length === 0) {
    return post('list', { read_state: 'any', answered_state: 'any', archived: false });
  }
  if (listed.length === 0) return { say: `Nothing listed: ${results[0]}` };
  if (results.length === 1) return post('read', { message_ref: listed.at(-1) });
  if (results.length === 2) return post('archive', { message_refs: listed });
  return { say: `Archived ${listed.length}.` };
}
