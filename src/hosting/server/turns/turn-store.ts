import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  errnoOf,
  messageOf,
  readJsonIfExists,
  writeJsonAtomic,
} from '../../../base/index.ts';
import type { TurnBody, TurnEnd, TurnStatus, TurnView } from '../../../wire/index.ts';

/** A turn as it is on disk: what is shown of it, and what is needed to run it after a crash. */
export interface TurnRecord extends Omit<TurnView, 'duplicate' | keyof TurnEnd> {
  prompt: string;
  chat_session: TurnBody['chat_session'];
  execution: TurnBody['execution'];
  direct: boolean;
  /** How often it was put back because none of it had run when the server ended. */
  returns: number;
  interrupt_requested: boolean;
}

const MAX_ENDED = 200;
/** Extra turns to keep, so that old ones are not removed at every turn. */
const SLACK = 20;

/** The turns of one agent, one file each in its session root, so that they outlive the server. */
export class TurnStore {
  readonly #directory: string;
  #turns = new Map<string, TurnRecord>();

  /** Files that are not turns are skipped and reported. */
  constructor(sessionRoot: string, onBadFile: (file: string, cause: string) => void) {
    this.#directory = path.join(sessionRoot, 'server', 'turns');
    for (const name of this.#names()) {
      const file = path.join(this.#directory, name);
      try {
        const record = readJsonIfExists(file) as TurnRecord | undefined;
        if (record && isTurn(record, name)) this.#turns.set(record.turn_id, record);
        else onBadFile(file, 'it is not a turn');
      } catch (error) {
        onBadFile(file, messageOf(error));
      }
    }
  }

  get(turnId: string): TurnRecord | undefined {
    return this.#turns.get(turnId);
  }

  /** Oldest first. */
  all(): TurnRecord[] {
    return [...this.#turns.values()].sort((a, b) => a.turn_index - b.turn_index);
  }

  get nextIndex(): number {
    return Math.max(0, ...[...this.#turns.values()].map((turn) => turn.turn_index)) + 1;
  }

  /** Durable when it returns. */
  save(record: TurnRecord): void {
    record.revision++;
    ensurePrivateDirectory(this.#directory);
    writeJsonAtomic(this.#file(record.turn_id), record);
    this.#turns.set(record.turn_id, record);
    this.#prune();
  }

  #prune(): void {
    const ended = this.all().filter((turn) => turn.status !== 'active');
    if (ended.length <= MAX_ENDED + SLACK) return;
    for (const { turn_id } of ended.slice(0, -MAX_ENDED)) {
      fs.rmSync(this.#file(turn_id), { force: true });
      this.#turns.delete(turn_id);
    }
  }

  #file(turnId: string): string {
    return path.join(this.#directory, `${turnId}.json`);
  }

  #names(): string[] {
    try {
      return fs
        .readdirSync(this.#directory)
        .filter((name) => name.endsWith('.json') && !name.startsWith('.'));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

const STATUSES: readonly string[] = [
  'active',
  'completed',
  'failed',
  'interrupted',
  'unknown',
] satisfies TurnStatus[];

function isTurn(record: TurnRecord, name: string): boolean {
  return (
    `${record.turn_id}.json` === name &&
    STATUSES.includes(record.status) &&
    Number.isInteger(record.turn_index) &&
    typeof record.prompt === 'string' &&
    typeof record.request_id === 'string' &&
    Array.isArray(record.stages)
  );
}
