import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, ensurePrivateDirectory, type FileLock, tryLockFile } from '../../base/index.ts';
import { bareAgentName } from '../../domain/index.ts';

/**
 * Keeps a name and an id for one launch or join, from the first check until it is published or given up. Without it
 * two at once could both see the name free, and the loser would take back what the winner uses. The kernel frees
 * the claim of a process that dies.
 */
export async function withClaimedName<T>(
  registryDir: string,
  { agentName, agentId }: { agentName: string; agentId: string },
  work: () => Promise<T>,
): Promise<T> {
  const directory = path.join(registryDir, 'claims');
  ensurePrivateDirectory(directory);
  const held: FileLock[] = [];
  try {
    for (const key of [`id-${agentId}`, `name-${bareAgentName(agentName)}`]) {
      const lock = tryLockFile(path.join(directory, `${key}.lock`));
      if (!lock) throw taken(agentName);
      held.push(lock);
    }
    return await work();
  } finally {
    for (const lock of held) {
      // Removed while it is held: whoever opens the path next gets a file of its own, and our lock was on this one.
      fs.rmSync(lock.path, { force: true });
      lock.release();
    }
  }
}

function taken(agentName: string): Error {
  return conflict(`another launch or join of "${agentName}" is under way`, {
    hint: 'wait for it, or choose another name',
    facts: { cause: 'agent_in_use' },
  });
}
