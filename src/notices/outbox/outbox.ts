import * as path from 'node:path';
import { type Clock, ensurePrivateDirectory, newUuid, utcStamp } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import {
  CHANNELS,
  type Channel,
  type NoticeState,
  type NoticeStep,
  OPEN_NOTICES,
  sqlList,
} from '../../domain/index.ts';
import { isWanted, type NeedRow, type Seen, type SeenNeed } from './need.ts';
import { OUTBOX_MIGRATIONS } from './schema.ts';
import { hasTarget, type Subscription, type SubscriptionSettings, type Target } from './subscription.ts';

/** How long ended needs and removed subscriptions are kept for `rouse why --notice`. */
const KEPT_MS = 7 * 86_400_000;

export interface NoticeRow {
  id: number;
  /** The same for every attempt, so that a receiver recognises a repeat. */
  uid: string;
  need_id: number;
  subscription_id: number;
  state: NoticeState;
  /** A try began, and how it ended is not known yet. */
  trying: 0 | 1;
  /** Failures in a row. */
  tries: number;
  /** How often it was sent. */
  sendings: number;
  next_try_at_ms: number | null;
  sent_at_ms: number | null;
  /** What the channel needs to take it back. */
  receipt: string | null;
}

export interface StoredStep {
  step: NoticeStep;
  at_utc: string;
  detail: string | null;
}

const outboxFile = (directory: string): string => path.join(directory, 'notices.sqlite');

/**
 * The durable outbox: subscriptions, the needs of each owner, and one notice per need and subscription. Every change is
 * committed before the caller acts on it. An unchanged picture writes nothing.
 */
export class Outbox {
  readonly db: Sqlite;
  readonly #clock: Clock;

  constructor({ directory, clock }: { directory: string; clock: Clock }) {
    ensurePrivateDirectory(directory);
    this.db = openSqlite({ file: outboxFile(directory), migrations: OUTBOX_MIGRATIONS, clock });
    this.#clock = clock;
  }

  close(): void {
    this.db.close();
  }

  add<C extends Channel>(channel: C, target: Target<C>, settings: SubscriptionSettings): Subscription<C> {
    const { id } = this.db.get<{ id: number }>(
      `INSERT INTO subscriptions (channel, settings_json, target_json, created_at_utc) VALUES (?, ?, ?, ?) RETURNING id`,
      [channel, JSON.stringify(settings), JSON.stringify(target), this.#stamp],
    )!;
    return this.subscription(id) as Subscription<C>;
  }

  /** False if there is no such subscription. */
  remove(id: number): boolean {
    const { changes } = this.db.run(
      'UPDATE subscriptions SET removed_at_utc = ? WHERE id = ? AND removed_at_utc IS NULL',
      [this.#stamp, id],
    );
    return changes > 0;
  }

  /** Oldest first, without removed ones. */
  subscriptions(): Subscription[] {
    return this.#readSubscriptions('removed_at_utc IS NULL');
  }

  /** Those with something to do. Removed ones count as long as one of their notices is open. */
  served(): Subscription[] {
    return this.#readSubscriptions(
      `removed_at_utc IS NULL OR EXISTS (SELECT 1 FROM notices WHERE subscription_id = subscriptions.id
         AND state IN ${sqlList(OPEN_NOTICES)})`,
    ).filter((each) => hasTarget(each) || each.removed_at_utc !== null);
  }

  /** Changes where it goes, if it is still as the caller saw it. False if it is not. */
  retarget({ id, target: seen }: Subscription, target: Target): boolean {
    const { changes } = this.db.run(
      'UPDATE subscriptions SET target_json = ? WHERE id = ? AND target_json = ? AND removed_at_utc IS NULL',
      [JSON.stringify(target), id, JSON.stringify(seen)],
    );
    return changes > 0;
  }

  subscription(id: number): Subscription | undefined {
    return this.#readSubscriptions('id = ?', [id])[0];
  }

  #readSubscriptions(where: string, params: number[] = []): Subscription[] {
    return this.db
      .all<SubscriptionRow>(`SELECT * FROM subscriptions WHERE ${where} ORDER BY id`, params)
      .flatMap((row) => subscriptionOf(row) ?? []);
  }

  /** Records whether its channel works. Writes only when that changes. */
  reportFailure(id: number, failure: string | null): void {
    if (failure === null)
      this.db.run(
        'UPDATE subscriptions SET failure = NULL, failing_since_utc = NULL WHERE id = ? AND failure IS NOT NULL',
        [id],
      );
    else
      this.db.run(
        `UPDATE subscriptions SET failure = ?, failing_since_utc = coalesce(failing_since_utc, ?)
          WHERE id = ? AND failure IS NOT ?`,
        [failure, this.#stamp, id, failure],
      );
  }

  /**
   * Compares what an owner sees with its open needs. New ones get their notices, ended ones end theirs. All of it is one
   * commit.
   */
  record(owner: string, seen: Seen): void {
    const nowMs = this.#clock.now().getTime();
    const open = new Map(this.#openNeeds(owner).map((row) => [row.key, row]));
    const begun = seen.needs.filter((need) => {
      const row = open.get(need.key);
      return row === undefined || isAnother(row, need);
    });
    const changed = seen.needs.filter((need) => {
      const row = open.get(need.key);
      return row !== undefined && !begun.includes(need) && isChanged(row, need);
    });
    const keys = new Set(seen.needs.map(({ key }) => key));
    const ended = [...open.values()].filter((row) => !keys.has(row.key) && !seen.isUnsure(row));
    const missing = this.#missing(owner);
    if (begun.length + changed.length + ended.length + missing.length === 0) return;
    this.db.transaction(() => {
      for (const row of ended) this.#end(row, nowMs);
      for (const need of begun) {
        const before = open.get(need.key);
        if (before) this.#end(before, nowMs);
        this.#begin(owner, need, nowMs);
      }
      for (const need of changed)
        this.db.run('UPDATE needs SET words = ?, command = ?, since_utc = ?, writer = ? WHERE id = ?', [
          ...[need.words, need.command, need.since_utc, need.writer],
          open.get(need.key)!.id,
        ]);
      for (const { need, subscription } of missing) this.#store(need, subscription);
      this.#forget(nowMs);
    });
  }

  #openNeeds(owner: string): NeedRow[] {
    return this.db.all<NeedRow>('SELECT * FROM needs WHERE owner = ? AND over_at_ms IS NULL', [owner]);
  }

  /** Open needs of which a newer subscription wants a notice. */
  #missing(owner: string): { need: NeedRow; subscription: Subscription }[] {
    const known = new Set(
      this.db
        .all<{ need_id: number; subscription_id: number }>(
          `SELECT n.need_id, n.subscription_id FROM notices n JOIN needs ON needs.id = n.need_id
            WHERE needs.owner = ? AND needs.over_at_ms IS NULL`,
          [owner],
        )
        .map(({ need_id, subscription_id }) => `${need_id} ${subscription_id}`),
    );
    const subscriptions = this.subscriptions().filter(hasTarget);
    return this.#openNeeds(owner)
      .filter(({ key }) => !isPast(key))
      .flatMap((need) =>
        subscriptions
          .filter((each) => isWanted(each, need) && !known.has(`${need.id} ${each.id}`))
          .map((subscription) => ({ need, subscription })),
      );
  }

  #begin(owner: string, seen: SeenNeed, nowMs: number): void {
    const { id } = this.db.get<{ id: number }>(
      `INSERT INTO needs (owner, key, kind, agent, person, words, command, href, since_utc, writer, opened_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      [
        ...[owner, seen.key, seen.kind, seen.agent, seen.person, seen.words],
        ...[seen.command, seen.href, seen.since_utc, seen.writer, nowMs],
      ],
    )!;
    const need = this.db.get<NeedRow>('SELECT * FROM needs WHERE id = ?', [id])!;
    for (const subscription of this.subscriptions().filter(hasTarget)) {
      const isOld = seen.past && (seen.since_utc ?? '') < subscription.created_at_utc;
      if (isWanted(subscription, need) && !isOld) this.#store(need, subscription);
    }
  }

  #store({ id }: NeedRow, subscription: Subscription): void {
    const stored = this.db.get<{ id: number }>(
      `INSERT INTO notices (uid, need_id, subscription_id, state) VALUES (?, ?, ?, 'waiting') RETURNING id`,
      [newUuid(), id, subscription.id],
    )!;
    this.#step(stored.id, 'stored');
  }

  #end({ id }: NeedRow, nowMs: number): void {
    this.db.run('UPDATE needs SET over_at_ms = ? WHERE id = ?', [nowMs, id]);
    for (const notice of this.db.all<NoticeRow>(
      `SELECT * FROM notices WHERE need_id = ? AND state IN ${sqlList(OPEN_NOTICES)}`,
      [id],
    ))
      this.#endNotice(notice);
  }

  /** A try in progress is ended by its own result. One that failed may have arrived nevertheless, so it is taken back. */
  #endNotice({ id, state, trying, tries, subscription_id }: NoticeRow): void {
    if (trying === 1 || state === 'ending') return;
    if (state === 'waiting' && tries === 0)
      this.#become(id, 'unneeded', 'over', 'it was over before it was sent');
    else this.#endSent(id, subscription_id);
  }

  #endSent(id: number, subscriptionId: number): void {
    const channel = this.subscription(subscriptionId)?.channel;
    if (channel && CHANNELS[channel].takesBack) this.#become(id, 'ending', 'over');
    else this.#become(id, 'over', 'over');
  }

  #become(id: number, state: NoticeState, step: NoticeStep, detail: string | null = null): void {
    this.db.run('UPDATE notices SET state = ?, tries = 0, next_try_at_ms = NULL WHERE id = ?', [state, id]);
    this.#step(id, step, detail);
  }

  #step(noticeId: number, step: NoticeStep, detail: string | null = null): void {
    this.db.run('INSERT INTO notice_steps (notice_id, step, at_utc, detail) VALUES (?, ?, ?, ?)', [
      noticeId,
      step,
      this.#stamp,
      detail,
    ]);
  }

  /** The open notices of a subscription, oldest first; with an owner, only those of its needs. */
  open(subscriptionId: number, owner?: string): OpenNotice[] {
    return this.#withNeeds(
      this.db.all<NoticeRow>(
        `SELECT n.* FROM notices n JOIN needs ON needs.id = n.need_id WHERE n.subscription_id = ?
          AND n.state IN ${sqlList(OPEN_NOTICES)} AND (? IS NULL OR needs.owner = ?) ORDER BY n.id`,
        [subscriptionId, owner ?? null, owner ?? null],
      ),
    );
  }

  #withNeeds(notices: NoticeRow[]): OpenNotice[] {
    return notices.map((notice) => ({
      notice,
      need: this.db.get<NeedRow>('SELECT * FROM needs WHERE id = ?', [notice.need_id])!,
    }));
  }

  /** Before a try. False if there is nothing to try any more. */
  begin(noticeId: number): boolean {
    return this.db.transaction(() => {
      const { changes } = this.db.run(
        `UPDATE notices SET trying = 1 WHERE id = ? AND state IN ${sqlList(OPEN_NOTICES)}
           AND (state = 'ending' OR EXISTS (SELECT 1 FROM needs WHERE needs.id = need_id AND over_at_ms IS NULL))`,
        [noticeId],
      );
      if (changes > 0) this.#step(noticeId, 'tried');
      return changes > 0;
    });
  }

  /** After a try that worked. */
  done(noticeId: number, receipt: string | null): void {
    const nowMs = this.#clock.now().getTime();
    this.db.transaction(() => {
      const { state, subscription_id, need_id, sendings } = this.#notice(noticeId);
      if (state === 'ending') {
        this.#settle(noticeId);
        this.#become(noticeId, 'over', 'taken_back');
        return;
      }
      this.db.run(
        `UPDATE notices SET state = 'sent', trying = 0, tries = 0, sendings = sendings + 1, next_try_at_ms = NULL,
           sent_at_ms = ?, receipt = coalesce(?, receipt) WHERE id = ?`,
        [nowMs, receipt, noticeId],
      );
      this.#step(noticeId, sendings === 0 ? 'sent' : 'repeated');
      if (this.#isOver(need_id)) this.#endSent(noticeId, subscription_id);
    });
  }

  /** After a try that failed. */
  failed(noticeId: number, { detail, retryAtMs }: { detail: string; retryAtMs: number | null }): void {
    this.db.transaction(() => {
      const notice = this.#notice(noticeId);
      this.db.run('UPDATE notices SET trying = 0, tries = tries + 1, next_try_at_ms = ? WHERE id = ?', [
        retryAtMs,
        noticeId,
      ]);
      this.#step(noticeId, 'failed', detail);
      if (notice.state === 'ending') {
        if (retryAtMs === null) this.#become(noticeId, 'over', 'over', 'it could not be taken back');
      } else if (this.#isOver(notice.need_id))
        this.#endNotice({ ...notice, trying: 0, tries: notice.tries + 1 });
    });
  }

  /** After a start: tries of an earlier process whose result is unknown. They are tried again, or taken back if over. */
  recover(owner: string): void {
    const left = this.db.all<NoticeRow>(
      `SELECT n.* FROM notices n JOIN needs ON needs.id = n.need_id WHERE n.trying = 1 AND needs.owner = ?`,
      [owner],
    );
    if (left.length === 0) return;
    this.db.transaction(() => {
      for (const { id, state, need_id, subscription_id } of left) {
        this.#settle(id);
        if (state !== 'ending' && this.#isOver(need_id)) this.#endSent(id, subscription_id);
      }
    });
  }

  /** Ends the notices of a removed subscription. */
  endRemoved(subscriptionId: number, owner: string): void {
    this.db.transaction(() => {
      for (const { notice } of this.open(subscriptionId, owner)) this.#endNotice(notice);
    });
  }

  /** Ends what was sent to a target that is gone; what waits stays for the next one. */
  endUnreachable(subscriptionId: number, owner: string): void {
    const sent = this.open(subscriptionId, owner).filter(
      ({ notice: { state, trying } }) => state !== 'waiting' && trying === 0,
    );
    if (sent.length === 0) return;
    this.db.transaction(() => {
      for (const { notice } of sent) this.#become(notice.id, 'over', 'over', 'nothing receives it any more');
    });
  }

  /** A clock that was set back must not hold anything up: what is in the future counts as now. */
  rebase(): void {
    const nowMs = this.#clock.now().getTime();
    this.db.run('UPDATE needs SET opened_at_ms = ? WHERE opened_at_ms > ?', [nowMs, nowMs]);
    this.db.run('UPDATE notices SET sent_at_ms = ? WHERE sent_at_ms > ?', [nowMs, nowMs]);
  }

  steps(noticeId: number): StoredStep[] {
    return this.db.all<StoredStep>(
      'SELECT step, at_utc, detail FROM notice_steps WHERE notice_id = ? ORDER BY id',
      [noticeId],
    );
  }

  /** Newest first. */
  newest(limit: number, agent?: string | undefined): OpenNotice[] {
    return this.#withNeeds(
      this.db.all<NoticeRow>(
        `SELECT n.* FROM notices n JOIN needs ON needs.id = n.need_id
          WHERE ? IS NULL OR needs.agent = ? ORDER BY n.id DESC LIMIT ?`,
        [agent ?? null, agent ?? null, limit],
      ),
    );
  }

  #notice(id: number): NoticeRow {
    return this.db.get<NoticeRow>('SELECT * FROM notices WHERE id = ?', [id])!;
  }

  #settle(id: number): void {
    this.db.run('UPDATE notices SET trying = 0 WHERE id = ?', [id]);
  }

  #isOver(needId: number): boolean {
    return this.db.get('SELECT 1 FROM needs WHERE id = ? AND over_at_ms IS NULL', [needId]) === undefined;
  }

  #forget(nowMs: number): void {
    const before = nowMs - KEPT_MS;
    const open = `EXISTS (SELECT 1 FROM notices WHERE need_id = needs.id AND state IN ${sqlList(OPEN_NOTICES)})`;
    this.db.run(`DELETE FROM needs WHERE over_at_ms < ? AND NOT ${open}`, [before]);
    this.db.run('DELETE FROM subscriptions WHERE removed_at_utc < ?', [utcStamp(new Date(before))]);
  }

  get #stamp(): string {
    return utcStamp(this.#clock.now());
  }
}

export interface OpenNotice {
  notice: NoticeRow;
  need: NeedRow;
}

const PAST = /^past:/;
export const pastKey = (key: string): string => `past:${key}`;
const isPast = (key: string): boolean => PAST.test(key);

/** The same process reports another beginning: the earlier one was over in between. */
function isAnother(row: NeedRow, need: SeenNeed): boolean {
  return (
    row.kind !== need.kind ||
    (row.since_utc !== null &&
      need.since_utc !== null &&
      row.since_utc !== need.since_utc &&
      row.writer === need.writer)
  );
}

const isChanged = (row: NeedRow, need: SeenNeed): boolean =>
  row.words !== need.words ||
  row.command !== need.command ||
  row.since_utc !== need.since_utc ||
  row.writer !== need.writer;

interface SubscriptionRow {
  id: number;
  channel: string;
  settings_json: string;
  target_json: string;
  created_at_utc: string;
  removed_at_utc: string | null;
  failing_since_utc: string | null;
  failure: string | null;
}

/** Undefined for a damaged row, and for a channel that this version does not know. */
function subscriptionOf({ settings_json, target_json, ...row }: SubscriptionRow): Subscription | undefined {
  if (!Object.hasOwn(CHANNELS, row.channel)) return undefined;
  try {
    return {
      ...(row as Omit<Subscription, 'target' | keyof SubscriptionSettings>),
      ...(JSON.parse(settings_json) as SubscriptionSettings),
      target: JSON.parse(target_json) as Target,
    };
  } catch {
    return undefined;
  }
}
