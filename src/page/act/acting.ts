import type { PageAgentRow, PageReceipt } from '../../wire/index.ts';
import { live, refresh } from '../live/live.ts';
import { agentAt } from '../live/queries.ts';
import { broadcast } from '../live/tabs.ts';
import { ask, PageError } from '../model/ask.ts';
import { createStore } from '../model/store.ts';
import { newId } from '../parts/action.ts';
import { type DeedName, deedOf } from './deeds.ts';

/** What was done to one agent, or is being done. */
export interface Outcome {
  key: string;
  name: string;
  deed: DeedName;
  state: 'sending' | 'done' | 'failed';
  sentence: string;
  hint?: string | undefined;
  /** Sends it again with the same id: what was done is not done twice. */
  again?: (() => void) | undefined;
}

const MAX_OUTCOMES = 200;
const AT_ONCE = 4;

/** The newest action first; it stays until it is dismissed. */
export const outcomes = createStore<readonly Outcome[]>([]);
/** The action that waits for a person's yes. */
export const confirming = createStore<{ deed: DeedName; ids: readonly string[] } | undefined>(undefined);

/** Does it to these agents, or asks first. */
export function act(deed: DeedName, rows: readonly PageAgentRow[]): void {
  if (rows.length === 0) return;
  if (deedOf(deed).confirms) confirming.set({ deed, ids: rows.map(({ id }) => id) });
  else void actNow(deed, rows);
}

/** One outcome for each agent; a failure stops no other. */
export async function actNow(deed: DeedName, rows: readonly PageAgentRow[]): Promise<void> {
  const { path, body } = deedOf(deed);
  const begun = rows.map((row): Outcome & { send: () => Promise<void> } => {
    const key = newId();
    const asked = { ...body(row), action_id: key };
    const send = () => sendOne(key, `${agentAt(wordFor(row))}/${path}`, asked);
    return { key, name: row.name, deed, state: 'sending', sentence: '', send };
  });
  outcomes.set([...begun.map(({ send: _, ...rest }) => rest), ...outcomes.get()].slice(0, MAX_OUTCOMES));
  const waiting = [...begun];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next.send();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (path !== 'mute') return;
  // The picture itself names who is muted, also in the person's other tabs.
  broadcast({ kind: 'resync' });
  await refresh().catch(() => undefined);
}

async function sendOne(key: string, path: string, body: object): Promise<void> {
  change(key, { state: 'sending', again: undefined });
  try {
    const { sentence } = await ask<PageReceipt>(path, { method: 'POST', body });
    change(key, { state: 'done', sentence });
  } catch (error) {
    const refused = error instanceof PageError && error.status >= 400 && error.status < 500;
    const sentence = error instanceof Error ? error.message : String(error);
    const hint = error instanceof PageError ? error.hint : undefined;
    change(key, {
      state: 'failed',
      sentence,
      hint,
      again: refused ? undefined : () => void sendOne(key, path, body),
    });
  }
}

const change = (key: string, now: Partial<Outcome>): void =>
  outcomes.set(outcomes.get().map((each) => (each.key === key ? { ...each, ...now } : each)));

/** Its name; its id if another agent has the same name. */
function wordFor({ id, name }: PageAgentRow): string {
  const rows = [...(live.get().picture?.agents.values() ?? [])];
  return rows.filter((row) => row.name === name).length > 1 ? id : name;
}
