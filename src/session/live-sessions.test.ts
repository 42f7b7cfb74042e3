import * as fs from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownSessions } from './live-sessions.ts';
import { sampleManifest, temporaryDirectory, writeSession } from './testing.ts';

let runtime: string;
beforeEach(() => {
  runtime = temporaryDirectory();
});
afterEach(() => {
  fs.rmSync(runtime, { recursive: true, force: true });
});

const ours = { path: '/ours/manifest.json', tmuxSessionName: 'main', tmuxSocket: undefined };
const own = (...sessions: [name: string, manifestPath?: string][]) =>
  ownSessions(
    ours,
    sessions.map(([name, manifestPath]) => ({ name, manifestPath, places: [] })),
    {},
  );

it('a session is found by its recorded name even if its pointer is lost or leads nowhere', () => {
  expect(own(['main', ours.path], ['b'])).toEqual(['main']);
  expect(own(['main'])).toEqual(['main']);
  expect(own(['main', '/gone/manifest.json'])).toEqual(['main']);
});

it('a session is found by its pointer, whatever its name is and whichever session has the old name', () => {
  expect(own(['work', ours.path])).toEqual(['work']);
  expect(own(['main'], ['work', ours.path])).toEqual(['work']);
});

it('a session with the recorded name that belongs to another agent is not taken for it', () => {
  const other = writeSession(runtime, sampleManifest({ agentName: 'other', tmuxSessionName: 'main' }));
  expect(own(['main', other])).toEqual([]);
  expect(own(['main', other], ['work', ours.path])).toEqual(['work']);
});

it('several sessions that point at one manifest are ambiguous', () => {
  expect(own(['a', ours.path], ['b', ours.path])).toEqual(['a', 'b']);
  expect(own(['a', ours.path], ['main', ours.path])).toEqual(['main']);
  expect(own(['a'], ['b'])).toEqual([]);
});
