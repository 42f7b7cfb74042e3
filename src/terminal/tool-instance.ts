import type { ProcessIdentity } from '../base/index.ts';

/** The process of a tool as it is written into records: a tool that was started again is another instance. */
export function toolInstance({ pid, startTicks }: ProcessIdentity): string {
  return `${pid}-${startTicks ?? 0}`;
}
