import { type Log, messageOf } from '../../base/index.ts';
import { isDatabaseAway, type Sql, sqlStateOf } from '../../db/index.ts';
import type { Sweep, SweepPass } from '../sweep/index.ts';
import { badRecipients } from './bad-recipients.ts';
import { dueRules, OPEN } from './due.ts';
import { type AgentOutcome, nudgeAgents } from './nudge-agents.ts';
import type { EnqueueAll, NudgeRules } from './nudge-rules.ts';
import { type Pick, pickAgents } from './pick-agents.ts';
import type { NudgeSettings } from './settings.ts';

export interface NudgeDeps {
  settings: NudgeSettings;
  enqueueAll: EnqueueAll;
  log: Log;
}

export interface NudgeResult extends Record<string, unknown> {
  agents_nudged: number;
  /** Items that were stamped; the message counts all open ones. */
  items_covered: number;
  errors: number;
  escalated: number;
  /** Agents with due items that were skipped, by reason. `handled`: the items were answered in the meantime. */
  skipped: Record<'busy' | 'paused' | 'offline' | 'spacing' | 'queued' | 'locked' | 'handled', number>;
  bad_rows: number;
  oldest_age_s: number;
  more: boolean;
  /** False: the tables of the inbox do not exist yet. */
  installed: boolean;
}

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
/** Agents per transaction: few enough that a heartbeat of one of them does not wait long. */
const TOGETHER = 50;
/** Agents remembered as failing; further ones are tried in their normal turn. */
const MAX_FAILING = 1000;

export function nudgeSweep({ settings, enqueueAll, log }: NudgeDeps): Sweep<NudgeResult> {
  const nudge: NudgeRules = { settings, enqueueAll, rules: dueRules(settings) };
  const countBad = badRecipients(log);
  const failing = new Set<string>();
  let loggedMissing = false;
  const missing = (error: unknown): NudgeResult => {
    if (!isMissing(error)) throw error;
    if (!loggedMissing) log.info('nudges wait: the tables of the requests inbox do not exist yet');
    loggedMissing = true;
    return { ...emptyResult(), installed: false };
  };
  return {
    name: 'request-nudge',
    summary: 'Reminds idle agents of requests they have not answered',
    intervalMs: settings.intervalSeconds * 1000,
    facts: { stale_after_s: settings.staleAfterSeconds, renudge_after_s: settings.renudgeAfterSeconds },
    gauges: ['bad_rows', 'oldest_age_s'],
    mayHaveWork: (sql) => anyDue(sql, nudge).catch((error) => isMissing(error) || Promise.reject(error)),
    run: async (pass) => {
      try {
        const result = await sweep(pass, { nudge, log, failing });
        result.bad_rows = await countBad(pass.sql);
        if (!pass.dryRun) logResult(result, log);
        return result;
      } catch (error) {
        return missing(error);
      }
    },
  };
}

interface Sweeping {
  nudge: NudgeRules;
  log: Log;
  /** Agents whose nudge failed the last time. */
  failing: Set<string>;
}

/** Agents that failed before come last: however many they are, they keep no one else from being served. */
async function sweep({ sql, dryRun, signal }: SweepPass, on: Sweeping): Promise<NudgeResult> {
  const { nudge, failing } = on;
  const before = [...failing];
  const { batchLimit } = nudge.settings;
  const picked = await pickAgents(sql, nudge.rules, { limit: batchLimit, without: dryRun ? [] : before });
  const result = { ...emptyResult(), oldest_age_s: picked.oldestAgeSeconds, more: picked.more };
  Object.assign(result.skipped, picked.held);
  if (dryRun) return { ...result, ...(await wouldNudge(sql, picked, nudge)) };
  const locked = await nudgeInTurn(picked, { ...on, sql, signal, result });
  // A heartbeat locks its agent for an instant: try once more now instead of a whole interval later.
  const still = await nudgeAll({ ...on, sql, signal, agents: locked, result });
  result.skipped.locked += still.length;
  await nudgeAll({ ...on, sql, signal, agents: before.slice(0, batchLimit), result, again: true });
  return result;
}

/** For each that fails, the next one gets its chance in the same pass. Returns those that were locked. */
async function nudgeInTurn({ agents }: Pick, on: Omit<Round, 'agents'>): Promise<string[]> {
  const { sql, signal, result, nudge, failing } = on;
  const locked: string[] = [];
  const tried = new Set<string>();
  for (let turn = agents; turn.length > 0; ) {
    const before = result.errors;
    for (const agent of turn) tried.add(agent);
    locked.push(...(await nudgeAll({ ...on, agents: turn })));
    const limit = result.errors - before;
    if (limit === 0 || signal.aborted) break;
    const next = await pickAgents(sql, nudge.rules, { limit, without: [...failing, ...tried] });
    result.more = next.more;
    turn = next.agents;
  }
  return locked;
}

interface Round extends Sweeping {
  sql: Sql;
  signal: AbortSignal;
  agents: string[];
  result: NudgeResult;
  /** They were not picked, so nothing may be due for them: only what is done counts. */
  again?: boolean;
}

/** Works group by group. Returns those that were locked. Only a database that is away ends the round. */
async function nudgeAll(on: Round): Promise<string[]> {
  const locked: string[] = [];
  let left = on.agents;
  while (left.length > 0) {
    if (on.signal.aborted) {
      on.result.more = true;
      break;
    }
    const together = left.slice(0, TOGETHER);
    const done = await nudgeTogether(together, on);
    locked.push(...together.filter((agent) => done.get(agent) === 'locked'));
    left = left.filter((agent) => !done.has(agent));
  }
  return locked;
}

/** If one of them fails, each is tried on its own. Returns the outcomes of those that had their turn. */
async function nudgeTogether(agents: string[], on: Round): Promise<Map<string, AgentOutcome | 'failed'>> {
  const { sql, nudge, result, again, failing } = on;
  try {
    const { outcomes, items, escalated } = await nudgeAgents(sql, agents, nudge);
    for (const [agent, outcome] of outcomes) {
      failing.delete(agent);
      if (outcome === 'nudged') result.agents_nudged++;
      else if (outcome !== 'locked' && !again) result.skipped[outcome]++;
    }
    result.items_covered += items;
    result.escalated += escalated;
    return outcomes;
  } catch (error) {
    if (isMissing(error) || isDatabaseAway(error)) throw error;
    if (agents.length > 1) return oneByOne(agents, on);
    result.errors++;
    logFailure(agents[0]!, error, on);
    return new Map([[agents[0]!, 'failed']]);
  }
}

async function oneByOne(agents: string[], on: Round): Promise<Map<string, AgentOutcome | 'failed'>> {
  const done = new Map<string, AgentOutcome | 'failed'>();
  for (const agent of agents) {
    if (on.signal.aborted) break;
    for (const [one, outcome] of await nudgeTogether([agent], on)) done.set(one, outcome);
  }
  return done;
}

/** Logged once, until it has worked again. */
function logFailure(agent: string, error: unknown, { failing, log }: Sweeping): void {
  if (failing.has(agent)) return;
  if (failing.size < MAX_FAILING) failing.add(agent);
  log.warn('a nudge failed; it will be tried again', { workspace: agent, cause: messageOf(error) });
}

async function wouldNudge(
  sql: Sql,
  { agents }: Pick,
  { rules }: NudgeRules,
): Promise<{ agents_nudged: number; items_covered: number }> {
  const { rows } = await sql.query<{ items: number }>(
    `SELECT count(*)::int AS items FROM requests r
      WHERE r.recipient_workspace_id = ANY($1::uuid[]) AND ((${rules.never}) OR (${rules.again}))`,
    [agents],
  );
  return { agents_nudged: agents.length, items_covered: rows[0]!.items };
}

async function anyDue(sql: Sql, { rules }: NudgeRules): Promise<boolean> {
  const { rows } = await sql.query<{ any: boolean }>(
    `SELECT EXISTS (SELECT FROM requests r WHERE ${rules.never} AND r.recipient_workspace_id IS NOT NULL)
         OR EXISTS (SELECT FROM requests r WHERE ${rules.again} AND r.recipient_workspace_id IS NOT NULL)
         OR EXISTS (SELECT FROM requests r WHERE ${OPEN} AND r.recipient_workspace_id IS NULL) AS any`,
  );
  return rows[0]!.any;
}

function isMissing(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === UNDEFINED_TABLE || state === UNDEFINED_COLUMN;
}

/** One line, and only if something happened. */
function logResult({ agents_nudged, items_covered, errors, escalated, more }: NudgeResult, log: Log): void {
  if (agents_nudged + errors + escalated === 0) return;
  log.info('nudges sent', { agents_nudged, items_covered, errors, escalated, more });
}

function emptyResult(): NudgeResult {
  return {
    agents_nudged: 0,
    items_covered: 0,
    errors: 0,
    escalated: 0,
    skipped: { busy: 0, paused: 0, offline: 0, spacing: 0, queued: 0, locked: 0, handled: 0 },
    bad_rows: 0,
    oldest_age_s: 0,
    more: false,
    installed: true,
  };
}
