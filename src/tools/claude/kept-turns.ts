import * as fs from 'node:fs';
import * as path from 'node:path';
import type { KeptTurn, KeptTurnsPlace } from '../signals/kept-turns.ts';
import { readObject } from '../signals/watched-file.ts';

const NAME = /^(\d{16,20})-\d+\.json$/;

/** Turns from the reports of the hooks: one file each. A prompt begins a turn; Stop ends it, with the last answer. */
export function claudeTurns({ signalsDir, fromMs, toMs }: KeptTurnsPlace): KeptTurn[] {
  const turns: KeptTurn[] = [];
  for (const { atMs, file } of reports(signalsDir)) {
    if (atMs < fromMs || atMs > toMs) continue;
    const content = readObject(file);
    const payload = (content?.['payload'] ?? {}) as Record<string, unknown>;
    const atUtc = new Date(atMs).toISOString();
    const open = turns.at(-1);
    switch (content?.['event']) {
      case 'UserPromptSubmit':
        turns.push({ atUtc, endedAtUtc: null, prompt: text(payload['prompt']), result: null, answer: null });
        break;
      case 'Stop':
      case 'StopFailure': {
        if (!open) break;
        open.endedAtUtc = atUtc;
        open.result = content['event'] === 'Stop' ? 'success' : 'known_failure';
        open.answer = text(payload['last_assistant_message']) || open.answer;
        break;
      }
    }
  }
  return turns;
}

function reports(directory: string): { atMs: number; file: string }[] {
  try {
    return fs
      .readdirSync(directory)
      .flatMap((name) => {
        const stamp = NAME.exec(name)?.[1];
        const file = path.join(directory, name);
        return stamp === undefined ? [] : [{ atMs: Number(BigInt(stamp) / 1_000_000n), file }];
      })
      .sort((a, b) => a.atMs - b.atMs);
  } catch {
    return [];
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
