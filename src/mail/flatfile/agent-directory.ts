import * as path from 'node:path';
import { invalid } from '../../base/index.ts';

/** Where a mail store can be named as well: a path ending in .md is a flat file. */
export function isFlatFilePath(given: string): boolean {
  return given.endsWith('.md');
}

/** The `.agent` directory of the mailbox a file or directory names. No other file is taken instead of the named one. */
export function agentDirectoryOf(given: string): string {
  const isFile = isFlatFilePath(given);
  const directory = isFile ? path.dirname(given) : given;
  const agent = path.basename(directory) === '.agent' ? directory : path.join(directory, '.agent');
  if (isFile && (agent !== directory || path.basename(given) !== 'inbox.md')) {
    throw invalid(`a flat mailbox must be .agent/inbox.md of some directory, not ${given}`, {
      hint: `"rouse mailfile" works with any file: rouse mailfile list --mailbox ${given}`,
    });
  }
  return agent;
}
