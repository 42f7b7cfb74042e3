import type { Clock } from '../../base/index.ts';
import type { Agent } from '../agent.ts';
import { spun } from './layout.ts';
import { FullScreenPainter, InlinePainter, type Painter } from './painter.ts';
import { TerminalModes, type TerminalOutput } from './terminal.ts';
import type { View } from './view.ts';

const TICK_MS = 100;

/** Draws the agent on the terminal: one frame per change, and a tick only during a turn. */
export class Screen {
  #agent: Agent;
  #output: TerminalOutput;
  #clock: Clock;
  #modes: TerminalModes;
  #painter: Painter;
  #skin: string;
  #due = false;
  #started = false;
  #stopTick: (() => void) | undefined;
  #onResize = (): void => this.#resized();

  constructor(agent: Agent, output: TerminalOutput, clock: Clock) {
    this.#agent = agent;
    this.#output = output;
    this.#clock = clock;
    this.#modes = new TerminalModes(output);
    this.#skin = agent.skin.name;
    this.#painter = painterOf(agent);
  }

  get size(): { columns: number; rows: number } {
    return { columns: Math.max(20, this.#output.columns ?? 80), rows: Math.max(6, this.#output.rows ?? 24) };
  }

  start(): void {
    this.#started = true;
    this.#modes.enter(this.#agent.skin);
    this.#output.on('resize', this.#onResize);
    this.#draw();
  }

  /** Requests a frame. Several changes in a row result in one frame. */
  redraw(): void {
    if (this.#due || !this.#started) return;
    this.#due = true;
    const late = this.#agent.faults.slowRedrawMs;
    if (late > 0) this.#clock.after(late, () => this.#draw());
    else setImmediate(() => this.#draw());
  }

  stop(): void {
    if (!this.#started) return;
    this.#started = false;
    this.#stopTick?.();
    this.#output.off('resize', this.#onResize);
    this.#modes.leave();
  }

  #draw(): void {
    this.#due = false;
    if (!this.#started || this.#agent.hung) return;
    if (this.#skin !== this.#agent.skin.name) this.#changeSkin();
    const view = this.#agent.view(this.size.columns, this.size.rows);
    this.#output.write(this.#painter.paint(view));
    const title = this.#agent.title ?? titleOf(view);
    if (title !== undefined) this.#modes.setTitle(title);
    if (this.#agent.journal.events.listenerCount > 0)
      this.#agent.journal.announce('drawn', { state: this.#agent.state });
    this.#stopTick?.();
    this.#stopTick = this.#agent.engine.current ? this.#clock.after(TICK_MS, () => this.redraw()) : undefined;
  }

  #changeSkin(): void {
    this.#skin = this.#agent.skin.name;
    this.#modes.switchTo(this.#agent.skin);
    const painter = painterOf(this.#agent);
    if (painter.constructor !== this.#painter.constructor) this.#painter = painter;
    this.#painter.forget();
  }

  #resized(): void {
    this.#agent.journal.record('resized', this.size);
    this.#painter.forget();
    this.redraw();
  }
}

const painterOf = (agent: Agent): Painter =>
  agent.skin.screen === 'alternate' ? new FullScreenPainter() : new InlinePainter();

function titleOf(view: View): string | undefined {
  const { title } = view.skin;
  if (!title) return undefined;
  return spun(view.dialog ? title.action : view.busy ? title.busy : title.ready, view);
}
