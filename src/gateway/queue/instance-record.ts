import { Emitter } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { nextEpoch } from '../../domain/index.ts';

export interface InstanceRecord {
  /** 1 for the first agent process seen in this session; incremented for every other one. */
  epoch: number;
  instance_id: string | null;
  /** The newest epoch about whose inherited work a person has decided. */
  reconciled_epoch: number;
}

/** Which agent process the accepted work was for. Stored with the queue, so that it survives detach and attach. */
export class InstanceStore {
  /** Emits when a decision about inherited work became due or was made, which changes admission. */
  readonly changed = new Emitter<InstanceRecord>();
  #db: Sqlite;
  /** Read for every request; the gateway is the only writer. */
  #known: InstanceRecord | undefined;

  constructor(db: Sqlite) {
    this.#db = db;
  }

  read(): InstanceRecord {
    this.#known ??= this.#db.get<InstanceRecord>(
      'SELECT epoch, instance_id, reconciled_epoch FROM gateway_instance',
    ) ?? { epoch: 1, instance_id: null, reconciled_epoch: 1 };
    return this.#known;
  }

  /**
   * Notes the current process. A different one begins a new epoch; if no accepted work is left from the old one there
   * is nothing to decide, and the new epoch is reconciled immediately. Writes only on change.
   */
  observe(instanceId: string | null): InstanceRecord {
    const before = this.read();
    if (instanceId === null || instanceId === before.instance_id) return before;
    const epoch = nextEpoch({
      previousEpoch: before.epoch,
      previousInstanceId: before.instance_id,
      instanceId,
    });
    const inherited = this.inheritedCount(epoch);
    return this.#write({
      epoch,
      instance_id: instanceId,
      reconciled_epoch: inherited === 0 ? epoch : before.reconciled_epoch,
    });
  }

  /** Accepted requests that were for an earlier process. */
  inheritedCount(epoch: number): number {
    return (
      this.#db.get<{ n: number }>(
        `SELECT COUNT(*) AS n FROM gateway_requests WHERE state = 'accepted' AND managed_agent_instance_epoch < ?`,
        [epoch],
      )?.n ?? 0
    );
  }

  /**
   * Closes admission when work for an earlier process is queued although the new process began without any: it was
   * running when that process ended, and was requeued.
   */
  inherit(): InstanceRecord {
    const record = this.read();
    if (record.reconciled_epoch !== record.epoch || this.inheritedCount(record.epoch) === 0) return record;
    return this.#change({ ...record, reconciled_epoch: record.epoch - 1 });
  }

  /** Opens admission again once no inherited request is undecided. */
  settle(): InstanceRecord {
    const record = this.read();
    if (record.reconciled_epoch === record.epoch || this.inheritedCount(record.epoch) > 0) return record;
    return this.#change({ ...record, reconciled_epoch: record.epoch });
  }

  #change(record: InstanceRecord): InstanceRecord {
    this.#write(record);
    this.changed.emit(record);
    return record;
  }

  #write(record: InstanceRecord): InstanceRecord {
    this.#db.run(
      `INSERT INTO gateway_instance (singleton, epoch, instance_id, reconciled_epoch) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT (singleton) DO UPDATE SET epoch = ?1, instance_id = ?2, reconciled_epoch = ?3`,
      [record.epoch, record.instance_id, record.reconciled_epoch],
    );
    this.#known = record;
    this.#db.whenUndone(() => {
      this.#known = undefined;
    });
    return record;
  }
}
