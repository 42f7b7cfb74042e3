import type { Sqlite } from '../../db/index.ts';
import { LIMITS, LIVE_REQUESTS, type LimitName, limit, limitHint, sqlList } from '../../domain/index.ts';
import { refusal } from '../../wire/index.ts';
import type { AcceptInput } from './request.ts';

/** Whether there is room for one more request: what is accepted must be kept, and disks are finite. */
export class QueueCapacity {
  /** An upper bound of the bytes that wait: only increased, until they are counted again. */
  #bytes: number | undefined;

  requireRoom(db: Sqlite, { payload }: AcceptInput, waiting: number): void {
    if (waiting >= limit('queueRows')) throw full(`${waiting} requests wait already`, 'queueRows');
    const more = Buffer.byteLength(JSON.stringify(payload));
    this.#bytes ??= waitingBytes(db);
    if (this.#bytes + more > limit('queueBytes')) this.#bytes = waitingBytes(db);
    if (this.#bytes + more > limit('queueBytes'))
      throw full(`${this.#bytes} bytes of requests wait, and this one has ${more}`, 'queueBytes');
    this.#bytes += more;
  }
}

function waitingBytes(db: Sqlite): number {
  return db.get<{ bytes: number }>(
    `SELECT coalesce(sum(length(CAST(payload_json AS BLOB))), 0) AS bytes FROM gateway_requests
      WHERE state IN ${sqlList(LIVE_REQUESTS)}`,
  )!.bytes;
}

function full(what: string, name: LimitName): Error {
  return refusal('queue_full', `${what}: max ${limit(name)} ${LIMITS[name].unit}`, {
    hint: limitHint(name),
  });
}
