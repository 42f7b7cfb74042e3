import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { KeptTurn, KeptTurnsPlace } from '../signals/kept-turns.ts';
import { entriesIn } from '../signals/session-log.ts';
import { CODEX_ROLLOUT } from './rollout.ts';

/** The end of a longer log is read. */
const MAX_BYTES = 16 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** A conversation that began earlier is not looked for. */
const MAX_DAYS = 60;

/** Turns from the rollout of the conversation, which codex keeps under the day on which it began. */
export function codexTurns(place: KeptTurnsPlace): KeptTurn[] {
  const { conversation, fromMs, toMs } = place;
  if (conversation === undefined) return [];
  const file = rolloutOf(conversation, place);
  if (file === undefined) return [];
  const turns: KeptTurn[] = [];
  const entries = endOf(file)
    .split('\n')
    .flatMap((line) => entriesIn(line, CODEX_ROLLOUT));
  for (const { kind, atMs, text, answer } of entries) {
    if (atMs < fromMs || atMs > toMs) continue;
    const atUtc = new Date(atMs).toISOString();
    const open = turns.at(-1);
    const state = CODEX_ROLLOUT.states[kind];
    if (kind === 'user_message')
      turns.push({ atUtc, endedAtUtc: null, prompt: text, result: null, answer: null });
    else if (open && (state === 'idle' || state === 'interrupted')) {
      open.endedAtUtc = atUtc;
      open.result = state === 'idle' ? 'success' : 'interrupted';
      open.answer = answer ?? open.answer;
    }
  }
  return turns;
}

function rolloutOf(conversation: string, { home, env, toMs }: KeptTurnsPlace): string | undefined {
  const root = home ?? env['CODEX_HOME'] ?? path.join(env['HOME'] || os.homedir(), '.codex');
  for (let day = 0; day <= MAX_DAYS; day++) {
    // One day later first: the directory has the local date.
    const directory = path.join(root, 'sessions', ...dateOf(toMs + DAY_MS - day * DAY_MS));
    const name = namesIn(directory).find((each) => each.endsWith(`-${conversation}.jsonl`));
    if (name !== undefined) return path.join(directory, name);
  }
  return undefined;
}

const dateOf = (ms: number): string[] => new Date(ms).toISOString().slice(0, 10).split('-');

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

function endOf(file: string): string {
  try {
    const fd = fs.openSync(file, 'r');
    try {
      const { size } = fs.fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length)).toString('utf8');
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}
