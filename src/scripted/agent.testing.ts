import { FakeClock } from '../base/index.ts';
import { Agent } from './agent.ts';
import { Journal } from './control/journal.ts';
import { InputDecoder } from './tui/input-decoder.ts';
import { Keys } from './tui/keys.ts';
import { SKINS } from './tui/skins.ts';
import type { TranscriptRecord } from './tui/transcript.ts';
import type { ProcessEnd } from './turns/turn-engine.ts';

/** An agent without a terminal and with a fake clock: bytes go in, records come out. */
export function testAgent(skin = 'plain') {
  const clock = new FakeClock();
  const journal = new Journal(undefined, clock);
  const records: TranscriptRecord[] = [];
  journal.events.on((event) => records.push(event));
  const endings: ProcessEnd[] = [];
  const agent = new Agent({
    clock,
    journal,
    skin: SKINS.get(skin)!,
    name: 'agent',
    cwd: '/work',
    life: 'x',
    defaults: { turnMs: 300, words: 0 },
    busyInput: undefined,
    mail: async () => undefined,
    redraw: () => {},
    hungChanged: () => {},
    end: (ending) => endings.push(ending),
  });
  const keys = new Keys(agent);
  const decoder = new InputDecoder();
  const press = (bytes: string): void => {
    keys.take(decoder.feed(Buffer.from(bytes)));
    keys.take(decoder.flush());
  };
  const paste = (text: string): void => press(`\u001b[200~${text}\u001b[201~`);
  const types = (...wanted: string[]): TranscriptRecord[] =>
    records.filter((each) => wanted.includes(each.type));
  return { agent, clock, journal, records, endings, press, paste, types };
}
