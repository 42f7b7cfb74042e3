import * as fs from 'node:fs';
import { type Clock, invalid, messageOf } from '../../base/index.ts';
import { checkControl } from './control-commands.ts';
import { requireDuration } from './duration.ts';
import type { Journal } from './journal.ts';

interface Step {
  on: string;
  nth: number;
  afterMs: number;
  do: Record<string, unknown>[];
}

/** `{"steps": [{"on": "submitted", "nth": 2, "after": "100ms", "do": {"type": "swallow-enter"}}]}`, fully checked. */
export function readScript(file: string): Step[] {
  let script: unknown;
  try {
    script = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid(`--script ${file}: ${messageOf(error)}`);
  }
  const steps = (script as { steps?: unknown } | null)?.steps;
  if (!Array.isArray(steps)) throw invalid(`--script ${file}: "steps" must be a list`);
  return steps.map((step, index) => {
    try {
      return readStep(step as Record<string, unknown>);
    } catch (error) {
      throw invalid(`--script ${file}: steps[${index}]: ${messageOf(error)}`);
    }
  });
}

function readStep(step: Record<string, unknown>): Step {
  const { on, nth = 1, after = 0, do: messages, ...others } = step;
  const strange = Object.keys(others)[0];
  if (strange !== undefined) throw invalid(`unknown field "${strange}"; allowed: on, nth, after, do`);
  if (typeof on !== 'string' || on === '') throw invalid('"on" must name an event');
  if (!Number.isInteger(nth) || (nth as number) < 1) throw invalid('"nth" must be a whole number from 1');
  const list = (Array.isArray(messages) ? messages : [messages]) as Record<string, unknown>[];
  for (const message of list) {
    if (message === null || typeof message !== 'object')
      throw invalid('"do" must be a control message or a list');
    checkControl(message);
  }
  return { on, nth: nth as number, afterMs: requireDuration(String(after), '"after"'), do: list };
}

/** Runs each step once, when its event happens for the n-th time. */
export function playScript(
  steps: Step[],
  journal: Journal,
  clock: Clock,
  run: (message: Record<string, unknown>) => unknown,
): void {
  const counts = new Map<string, number>();
  journal.events.on((event) => {
    const count = (counts.get(event.type) ?? 0) + 1;
    counts.set(event.type, count);
    for (const step of steps) {
      if (step.on !== event.type || step.nth !== count) continue;
      clock.after(step.afterMs, () => {
        for (const message of step.do) attempt(journal, message, run);
      });
    }
  });
}

function attempt(
  journal: Journal,
  message: Record<string, unknown>,
  run: (message: Record<string, unknown>) => unknown,
): void {
  try {
    run(message);
  } catch (error) {
    journal.record('script_error', { step: message['type'], error: messageOf(error) });
  }
}
