import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Sql } from '../../src/db/index.ts';
import type { KillableAgent, KillWorld } from './kill-world.ts';
import type { Item, Load } from './load.ts';
import { falseEnd, kindOf, promptOf, type Row, readRows } from './request-rows.ts';

/** How everything of one kind ended. */
export interface Verdict {
  sent: number;
  arrived: number;
  /** Ended without arriving, and reported with a reason. */
  'said failed': number;
  /** Ended as unconfirmed, arrived or not. */
  'said unconfirmed': number;
  /** Still queued. */
  waiting: number;
  lost: number;
  doubled: number;
  /** The records differ from what happened. */
  false: number;
}

/** A message in the server's database. */
interface Message {
  id: string;
  workspace_id: string;
  idempotency_key: string | null;
  status: string;
  outcome: string | null;
  last_error: string | null;
}

/** The failed reminders of one gateway, by its own events. */
interface ReminderEvent {
  kind: string;
  reminder_id: string;
  outcome?: string;
}

/**
 * Kills may cost a few requests their result, but not more than one in ten. A wake or a nudge may also lose its reason.
 */
const FEW = { atLeast: 3, share: 0.1, of: ['request', 'message'] };

const keyOfMessage = (id: string): string => `a2a:${id}`;

/**
 * Runs after everything has ended cleanly. Compares the records of gateways, mailboxes and server with what the agents
 * themselves received.
 */
export class Judge {
  readonly verdicts = new Map<string, Verdict>();
  /** What is wrong, in words. */
  readonly wrongs: string[] = [];
  #world: KillWorld;
  #load: Load;
  #rows = new Map<string, Map<string, Row>>();

  constructor(world: KillWorld, load: Load) {
    this.#world = world;
    this.#load = load;
  }

  async judge(): Promise<void> {
    this.#load.look();
    for (const agent of this.#world.agents) this.#judgePrompts(agent);
    this.#judgeShares();
    const sql = await this.#world.openDatabase();
    try {
      await this.#judgeFleet(sql);
      for (const item of this.#load.items) await this.#judgeItem(item, sql);
    } finally {
      await sql.close();
    }
  }

  /** Compares each text the agent received with the requests that should have brought it. */
  #judgePrompts(agent: KillableAgent): void {
    const rows = readRows(agent.root);
    this.#rows.set(agent.name, new Map(rows.map((row) => [row.idempotency_key ?? row.request_id, row])));
    const received = countBy(this.#load.witnesses.get(agent.name)!.prompts, (text) => text);
    const wanted = new Map<string, Row[]>();
    for (const row of rows) wanted.set(promptOf(row), [...(wanted.get(promptOf(row)) ?? []), row]);
    for (const text of new Set([...received.keys(), ...wanted.keys()])) {
      const times = received.get(text) ?? 0;
      const requests = wanted.get(text) ?? [];
      if (requests.length > 0) this.#compare(agent.name, requests, times);
      else if (!text.startsWith('Remember '))
        this.#wrong('request', 'false', `${agent.name} received a text that was not sent: ${text}`);
    }
  }

  #compare(agent: string, rows: Row[], times: number): void {
    const kind = kindOf(rows[0]!);
    const verdict = this.#verdict(kind);
    const ended = countBy(rows, ({ outcome, state }) => outcome ?? state);
    const submitted = ended.get('submitted') ?? 0;
    const unconfirmed = ended.get('unconfirmed') ?? 0;
    const waiting = (ended.get('accepted') ?? 0) + (ended.get('running') ?? 0);
    verdict.sent += rows.length;
    verdict.arrived += times;
    verdict['said unconfirmed'] += unconfirmed;
    verdict.waiting += waiting;
    verdict['said failed'] += rows.length - submitted - unconfirmed - waiting;
    const finding = `${agent}: ${JSON.stringify([...ended])}, received ${times} times: ${promptOf(rows[0]!).slice(0, 80)}`;
    if (times < submitted) this.#wrong(kind, 'false', finding, submitted - times);
    if (times > rows.length) this.#wrong(kind, 'doubled', finding, times - rows.length);
    else if (times > submitted + unconfirmed)
      this.#wrong(kind, 'false', finding, times - submitted - unconfirmed);
    for (const row of rows) this.#judgeEnd(agent, row);
  }

  /** Compares the recorded end with its own evidence. */
  #judgeEnd(agent: string, row: Row): void {
    const trouble = falseEnd(row);
    if (trouble) this.#wrong(kindOf(row), 'false', `${agent}: ${trouble}`);
    if (row.state === 'accepted' || row.state === 'running')
      this.wrongs.push(`${agent}: ${row.request_id} is ${row.state} (${row.waiting_reason ?? 'no reason'})`);
  }

  /** A gateway that reports everything as failed would report nothing false, so the share is limited. */
  #judgeShares(): void {
    for (const kind of FEW.of) {
      const { sent, ...verdict } = this.#verdict(kind);
      const ended = verdict['said failed'] + verdict['said unconfirmed'];
      if (ended > Math.max(FEW.atLeast, FEW.share * sent))
        this.wrongs.push(`${kind}: ${ended} of ${sent} failed or were unconfirmed`);
    }
  }

  /** Compares the server's record of each message with that of its gateway. */
  async #judgeFleet(sql: Sql): Promise<void> {
    const { rows } = await sql.query<Message>(
      'SELECT id, workspace_id, idempotency_key, status, outcome, last_error FROM a2a_queue',
    );
    const verdict = this.#verdict('all of the fleet');
    for (const message of rows) {
      const agent = this.#world.agents.find(({ workspaceId }) => workspaceId === message.workspace_id);
      if (!agent) {
        this.#judgeIdle(message);
        continue;
      }
      const row = this.#rows.get(agent.name)!.get(keyOfMessage(message.id));
      const { status, outcome, last_error } = message;
      const finding = `${agent.name}: message ${message.id} (${message.idempotency_key}) is ${status} ${outcome} ${last_error}; the gateway has ${row?.outcome ?? row?.state ?? 'nothing'}`;
      verdict.sent++;
      if (row?.outcome === 'submitted') verdict.arrived++;
      if (status === 'completed' && !row) this.#wrong('all of the fleet', 'lost', finding);
      else if (outcome !== null && outcome !== row?.outcome)
        this.#wrong('all of the fleet', 'false', finding);
      else if ((status === 'dropped' || status === 'failed') && row)
        this.#wrong('all of the fleet', 'false', finding);
      else if (status === 'dropped' || status === 'failed') verdict['said failed']++;
      else if (status === 'queued' || status === 'dispatched' || outcome === null) {
        verdict.waiting++;
        this.wrongs.push(finding);
      }
    }
  }

  /** An idle agent stores messages by their id. */
  #judgeIdle({ id, workspace_id, status }: Message): void {
    const agent = this.#world.idle.find(({ workspaceId }) => workspaceId === workspace_id)!;
    const verdict = this.#verdict('of idle agents');
    verdict.sent++;
    const has = agent.received.has(id);
    if (has) verdict.arrived++;
    if (status === 'completed' && !has) this.#wrong('of idle agents', 'lost', `${agent.name}: message ${id}`);
    if (status === 'queued' && has) this.#wrong('of idle agents', 'false', `${agent.name}: message ${id}`);
  }

  async #judgeItem(item: Item, sql: Sql): Promise<void> {
    const { kind, token, agent, accepted, id } = item;
    const rows = this.#rows.get(agent)!;
    const name = `${kind} ${token} of ${agent} (${id})`;
    if (kind === 'request' && accepted && !rows.has(token)) this.#wrong('request', 'lost', name);
    if (kind === 'mail') await this.#judgeMail(item, name);
    if (kind === 'reminder') this.#judgeReminder(item, name);
    if (kind === 'message' && accepted) {
      const { rows: found } = await sql.query('SELECT FROM a2a_queue WHERE id = $1::uuid', [id]);
      if (found.length !== 1) this.#wrong('message', 'lost', name);
    }
    if (kind === 'asked' && accepted) await this.#judgeAsked(item, sql, name);
  }

  async #judgeMail(item: Item, name: string): Promise<void> {
    const verdict = this.#verdict('mail');
    if (!item.accepted) return;
    verdict.sent++;
    const copies = (await this.#world.mailOf(item.agent)).filter(({ subject }) =>
      subject.includes(item.token),
    );
    const read = this.#load.timesSeen(item);
    if (read > 0) verdict.arrived++;
    if (copies.length > 1) this.#wrong('mail', 'doubled', name, copies.length - 1);
    if (copies.length === 0) this.#wrong('mail', 'lost', name);
    else if (read === 0) this.#wrong('mail', 'lost', `${name}: in the mailbox, never read`);
  }

  #judgeReminder(item: Item, name: string): void {
    const verdict = this.#verdict('reminder');
    const times = this.#load.timesSeen(item);
    if (times > 1) this.#wrong('reminder', 'doubled', `${name}: received ${times} times`, times - 1);
    if (!item.accepted) return;
    verdict.sent++;
    verdict.arrived += Math.min(times, 1);
    const ends = this.#reminderEnds(item);
    if (ends.includes('unconfirmed')) verdict['said unconfirmed']++;
    if (times === 0 && ends.length === 0) this.#wrong('reminder', 'lost', name);
    if (times === 0 && ends.includes('submitted'))
      this.#wrong('reminder', 'false', `${name}: ${ends}, not received`);
    if (times === 0 && ends.includes('failed')) verdict['said failed']++;
    if (times > 0 && ends.includes('failed'))
      this.#wrong('reminder', 'false', `${name}: ${ends}, but received`);
  }

  /** A fleet request exists once, was announced once, and records that. */
  async #judgeAsked({ id, token }: Item, sql: Sql, name: string): Promise<void> {
    const verdict = this.#verdict('asked');
    verdict.sent++;
    const { rows } = await sql.query<{ requests: number; events: number; notices: number }>(
      `SELECT (SELECT count(*)::int FROM requests WHERE title LIKE $2) AS requests,
              (SELECT count(*)::int FROM request_events WHERE request_id = $1::uuid AND type = 'REQUEST_CREATED') AS events,
              (SELECT count(*)::int FROM a2a_queue WHERE idempotency_key = $3) AS notices`,
      [id, `%${token}`, `request-created:${id}`],
    );
    const { requests, events, notices } = rows[0]!;
    if (requests === 1 && events === 1 && notices === 1) verdict.arrived++;
    else if (requests === 0) this.#wrong('asked', 'lost', name);
    else this.#wrong('asked', 'doubled', `${name}: ${JSON.stringify(rows[0])}`);
  }

  #reminderEnds({ agent, id }: Item): string[] {
    const { root } = this.#world.agents.find(({ name }) => name === agent)!;
    return ['events.jsonl.1', 'events.jsonl']
      .map((name) => path.join(root, name))
      .filter((file) => fs.existsSync(file))
      .flatMap((file) =>
        fs
          .readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.includes(id)),
      )
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as ReminderEvent];
        } catch {
          return [];
        }
      })
      .filter(({ kind }) => kind === 'reminder_completed' || kind === 'reminder_failed')
      .map(({ outcome }) => outcome ?? 'submitted');
  }

  #wrong(kind: string, how: 'lost' | 'doubled' | 'false', finding: string, times = 1): void {
    this.#verdict(kind)[how] += times;
    this.wrongs.push(`${how}: ${finding}`);
  }

  #verdict(kind: string): Verdict {
    const known = this.verdicts.get(kind);
    if (known) return known;
    const verdict: Verdict = {
      sent: 0,
      arrived: 0,
      'said failed': 0,
      'said unconfirmed': 0,
      waiting: 0,
      lost: 0,
      doubled: 0,
      false: 0,
    };
    this.verdicts.set(kind, verdict);
    return verdict;
  }
}

function countBy<T>(values: Iterable<T>, of: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(of(value), (counts.get(of(value)) ?? 0) + 1);
  return counts;
}
