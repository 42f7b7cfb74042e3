import { messageOf } from '../../src/base/index.ts';
import type { AdmissionPolicy } from '../../src/domain/index.ts';
import type { DeliveryResult } from '../../src/terminal/index.ts';
import { Seeded } from '../support/seeded.ts';
import type { PersonAtClient } from './person-at-client.ts';
import { promptOf } from './prompt-of.ts';
import { type Aftermath, FAULTS, type Fault, type Status, Weather, WHILE_TYPING } from './storm-weather.ts';
import type { TestPane } from './test-pane.ts';

export interface Entry {
  number: number;
  fault: Fault;
  text: string;
  tries: number;
  result: DeliveryResult;
  stages: string[];
}

export interface Storm extends Aftermath {
  entries: Entry[];
}

const SIZES = { 200: 6, 4096: 3, 65536: 1 };

/** Delivers seeded prompts, each with its fault, as a dispatcher does: it retries while the agent is not ready. */
export async function runStorm(
  pane: TestPane,
  person: PersonAtClient,
  options: { seed: number; count: number; patient: boolean; progress?: (entry: Entry) => void },
): Promise<Storm> {
  const faults = chosenFaults(options.patient);
  const random = new Seeded(options.seed);
  const storm: Storm = { entries: [], personLines: [], shells: [] };
  let lastText = '';
  for (let number = 0; number < options.count; number++) {
    const fault = random.weighted(faults) as Fault;
    const size = Number(random.weighted(SIZES));
    const id = `${options.seed}-${number}`;
    const fresh = `${promptOf(random, size, id)}${fault === 'turn_dialog' ? ' [[dialog=permission]] end' : ''}`;
    const text = fault.endsWith('same_again') && lastText !== '' ? lastText : fresh;
    const { result, tries, stages } = await broughtThrough(pane, `#${number} ${fault}`, async () => {
      await calm(pane);
      const weather = new Weather(pane, person, random, storm);
      await weather.before(fault, number);
      // Otherwise the fault would hit the wait for readiness, not the typing.
      if (WHILE_TYPING.has(fault)) await pane.ready();
      const delivered = await deliver(pane, text, fault, weather);
      await weather.after();
      return delivered;
    });
    const entry = { number, fault, text, tries, result, stages };
    storm.entries.push(entry);
    options.progress?.(entry);
    if (result.outcome === 'submitted') lastText = text;
  }
  await calm(pane);
  return storm;
}

/** Adds to an error of the storm itself at which prompt it happened, and the scene. */
async function broughtThrough<T>(pane: TestPane, which: string, prompt: () => Promise<T>): Promise<T> {
  try {
    return await prompt();
  } catch (error) {
    const last = pane
      .records()
      .slice(-8)
      .map(({ text: _text, ...record }) => JSON.stringify(record));
    const scene = [...last, await pane.screen()].join('\n');
    throw new Error(`the storm broke off at ${which}: ${messageOf(error)}\n${scene}`, { cause: error });
  }
}

/** All faults, or those named in ROUSE_PROOF_FAULTS, for a closer look. */
function chosenFaults(patient: boolean): Record<string, number> {
  const all = patient ? { ...FAULTS, busy_long: 0.3 } : FAULTS;
  const named = process.env['ROUSE_PROOF_FAULTS']?.split(',');
  return named ? Object.fromEntries(Object.entries(all).filter(([fault]) => named.includes(fault))) : all;
}

async function deliver(
  pane: TestPane,
  text: string,
  fault: Fault,
  weather: Weather,
): Promise<{ result: DeliveryResult; tries: number; stages: string[] }> {
  const policy: AdmissionPolicy = fault === 'busy_forced' ? 'if_no_pending' : 'ready_only';
  for (let tries = 1; ; tries++) {
    const prompt = pane.prompt(text, { policy });
    weather.during(fault, tries);
    const result = await pane.surface.deliver(prompt);
    const stages = prompt.recorded.map(({ stage }) => stage);
    if (result.outcome !== 'not_ready') return { result, tries, stages };
    await weather.helpAlong();
    await news(pane);
  }
}

/** Waits for the next event of the surface, or a moment, as a dispatcher does. */
async function news(pane: TestPane): Promise<void> {
  const soon = new AbortController();
  const timer = setTimeout(() => soon.abort(), 100);
  await pane.surface.changed.next(() => true, soon.signal).catch(() => {});
  clearTimeout(timer);
}

/** Tidies up like a person: no faults, no dialog, no turn, an empty composer. */
async function calm(pane: TestPane): Promise<void> {
  for (;;) {
    const status = (await pane.control.send('status')) as Status;
    if (status.state === 'dialog') await pane.control.send('close-dialog').catch(() => {});
    else if (status.state === 'busy') await pane.control.send('end-turn').catch(() => {});
    else if (status.draft.bytes > 0) await pane.control.send('draft', { text: '' });
    else break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await pane.control.send('clear-faults');
}
