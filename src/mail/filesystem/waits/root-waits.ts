import { utcSeconds } from '../../../base/index.ts';
import type { WaitEdge } from '../../../domain/index.ts';
import type { MailWaits } from '../../port.ts';
import { announceAll, publishSent, type Reported } from '../own-mail.ts';
import type { OpenRoot } from '../root/open-root.ts';
import { reportOverdueWaits } from './report-waits.ts';
import { listWaits, nextDue, overdueWaits } from './wait-rows.ts';

/** Who waits for whom in a whole root. */
export class RootWaits implements MailWaits {
  readonly #store: OpenRoot;

  constructor(store: OpenRoot) {
    this.#store = store;
  }

  async list(): Promise<WaitEdge[]> {
    this.#store.requireCurrent();
    return listWaits(this.#store.db, utcSeconds(this.#store.clock.now()));
  }

  async reportOverdue(): Promise<string | undefined> {
    const store = this.#store;
    store.requireCurrent();
    const at = store.clock.now();
    // Without anything to report, nothing is written.
    while (overdueWaits(store.db, utcSeconds(at)).length > 0)
      await store.commit(
        (db): Reported[] => announceAll(store, reportOverdueWaits({ db, active: store.book.open(db), at })),
        (reported) => {
          for (const { generation, ...each } of reported) publishSent(store, generation, each);
        },
      );
    return nextDue(store.db);
  }
}
