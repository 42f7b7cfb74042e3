import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentEvents } from './agent-events.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-events-'));
  file = path.join(directory, 'events.jsonl');
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const line = (title: string, kind = 'reminder_delivered'): string =>
  `${JSON.stringify({ kind, at_utc: '2026-01-01T12:00:00.000Z', title })}\n`;
const titles = (events: AgentEvents): unknown[] => events.of(file).map(({ title }) => title);

it('new events of a gateway are read once each, and a half-written line when it is complete', () => {
  const events = new AgentEvents();
  expect(titles(events)).toEqual([]);
  fs.writeFileSync(file, line('a') + line('b').slice(0, 20));
  expect(titles(events)).toEqual(['a']);
  fs.appendFileSync(file, line('b').slice(20) + line('c'));
  expect(titles(events)).toEqual(['a', 'b', 'c']);
  expect(titles(events)).toEqual(['a', 'b', 'c']);
});

it('lines that are no event or are in the ledger are skipped, and a replaced event file is read from its start', () => {
  const events = new AgentEvents();
  fs.writeFileSync(
    file,
    `not json\n{"kind":1}\n${line('x', 'request_accepted')}${line('a')}${line('y', 'reminder_deferred')}`,
  );
  expect(titles(events)).toEqual(['a']);
  fs.writeFileSync(`${file}.new`, line('other'));
  fs.renameSync(`${file}.new`, file);
  expect(titles(events)).toEqual(['other']);
  fs.writeFileSync(file, '');
  expect(titles(events)).toEqual([]);
});

it('of a long event file only the end is read, from a complete line on', () => {
  fs.writeFileSync(
    file,
    line('early') + line('x'.repeat(1000), 'request_accepted').repeat(600) + line('late'),
  );
  expect(titles(new AgentEvents())).toEqual(['late']);
});
