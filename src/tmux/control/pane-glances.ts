import { runOutsideTenants } from '../../base/index.ts';
import { listAllPanes, type Pane, paneGone, showPane } from '../pane.ts';
import type { Runner } from '../runner.ts';

/** Requests within this time share one response. */
const GATHER_MS = 10;

interface PendingGlance {
  before: Pane;
  settle: (pane: Pane) => void;
  fail: (error: unknown) => void;
}

/** Facts of panes for callers that are not in a hurry: one command of the tmux server serves all requests at about the same time. */
export class PaneGlances {
  readonly #runner: Runner;
  #pending: PendingGlance[] = [];

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Reads the same pane again; if it is in several sessions, as it is in the same one. */
  again(before: Pane): Promise<Pane> {
    return new Promise((settle, fail) => {
      this.#pending.push({ before, settle, fail });
      if (this.#pending.length === 1)
        runOutsideTenants(() => setTimeout(() => void this.#answer(), GATHER_MS));
    });
  }

  async #answer(): Promise<void> {
    const asked = this.#pending;
    this.#pending = [];
    try {
      const [first] = asked;
      const panes =
        asked.length === 1
          ? [await showPane(this.#runner, first!.before.id)]
          : await listAllPanes(this.#runner);
      for (const each of asked) answerOne(each, panes);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

function answerOne({ before, settle, fail }: PendingGlance, panes: Pane[]): void {
  const views = panes.filter(({ id }) => id === before.id);
  const view = views.find(({ sessionId }) => sessionId === before.sessionId) ?? views[0];
  if (view) settle(view);
  else fail(paneGone(before.id));
}
