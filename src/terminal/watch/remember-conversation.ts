import * as path from 'node:path';
import { readJsonIfExists, writeJsonAtomic } from '../../base/index.ts';
import type { SignalReader } from '../../tools/index.ts';

const fileOf = (sessionRoot: string): string => path.join(sessionRoot, 'launch', 'conversation.json');

/** The id becomes an argument of the tool. */
const ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

/**
 * Stores which conversation the tool is in, so that it can be resumed after the process or the machine has ended. A
 * failed write is retried at the next change and stops nothing.
 */
export function rememberConversation(
  sessionRoot: string,
  readers: () => readonly SignalReader[],
): () => void {
  let kept = readConversation(sessionRoot);
  return () => {
    const id = readers()
      .map((reader) => reader.conversation?.())
      .find((each) => each !== undefined);
    if (id === undefined || id === (kept ?? null) || (id !== null && !ID.test(id))) return;
    try {
      keepConversation(sessionRoot, id);
      kept = id ?? undefined;
    } catch {
      // retried at the next change
    }
  };
}

/** Stores the conversation that the tool is in; null: it is empty. */
export function keepConversation(sessionRoot: string, id: string | null): void {
  writeJsonAtomic(fileOf(sessionRoot), { schema_version: 1, conversation_id: id });
}

/** The conversation the tool was in last; undefined if it was never seen, or the file is not ours. */
export function readConversation(sessionRoot: string): string | undefined {
  try {
    const document = readJsonIfExists(fileOf(sessionRoot)) as { conversation_id?: unknown } | undefined;
    const id = document?.conversation_id;
    return typeof id === 'string' && ID.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
