import { runForNobody } from '../../base/index.ts';
import { listAllPanes, type Pane, paneGone, showPane } from '../pane.ts';
import type { Runner } from '../runner.ts';

/** Whoever asks within this time shares one answer. */
const GATHER_MS = 10;

interface Asked {
  pane: string;
  session: string;
  settle: (pane: Pane) => void;
  fail: (error: unknown) => void;
}

/** Facts of single panes for those who are not in a hurry: one command of the tmux server answers all who ask at about the same time. */
export class PaneGlances {
  readonly #runner: Runner;
  #asked: Asked[] = [];

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** `session`: a pane may be shown in several, and is told of as it is there. */
  of(pane: string, session: string): Promise<Pane> {
    return new Promise((settle, fail) => {
      this.#asked.push({ pane, session, settle, fail });
      if (this.#asked.length === 1) runForNobody(() => setTimeout(() => void this.#answer(), GATHER_MS));
    });
  }

  async #answer(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const [first] = asked;
      const panes =
        asked.length === 1 ? [await showPane(this.#runner, first!.pane)] : await listAllPanes(this.#runner);
      for (const each of asked) answerOne(each, panes);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

function answerOne({ pane, session, settle, fail }: Asked, panes: Pane[]): void {
  const views = panes.filter(({ id }) => id === pane);
  const view = views.find(({ sessionId }) => sessionId === session) ?? views[0];
  if (view) settle(view);
  else fail(paneGone(pane));
}
