import type { ProcessIdentity } from '../base/index.ts';

/** The process of a tool as it is stored in records: a restarted tool is another instance. */
export function toolInstance({ pid, startTicks }: ProcessIdentity): string {
  return `${pid}-${startTicks ?? 0}`;
}
