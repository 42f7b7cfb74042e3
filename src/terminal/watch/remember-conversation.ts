import * as path from 'node:path';
import { readJsonIfExists, writeJsonAtomic } from '../../base/index.ts';
import type { SignalReader } from '../../tools/index.ts';

const fileOf = (sessionRoot: string): string => path.join(sessionRoot, 'launch', 'conversation.json');

/** It becomes an argument of the tool. */
const ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

/**
 * Keeps which conversation the tool is in, so that it can go on with it after its process and its machine have ended. What
 * cannot be written is written at the next change; it stops nobody.
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
      writeJsonAtomic(fileOf(sessionRoot), { schema_version: 1, conversation_id: id });
      kept = id ?? undefined;
    } catch {
      // said above
    }
  };
}

/** The conversation the tool was in last; undefined when nobody saw it, or the file is not ours. */
export function readConversation(sessionRoot: string): string | undefined {
  try {
    const document = readJsonIfExists(fileOf(sessionRoot)) as { conversation_id?: unknown } | undefined;
    const id = document?.conversation_id;
    return typeof id === 'string' && ID.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
