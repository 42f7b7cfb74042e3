import { bootId, childrenOf, namesOfProcess, type ProcessIdentity, processStatus } from '../../base/index.ts';

export interface FoundTool {
  identity: ProcessIdentity;
  name: string;
  /** It holds the terminal of its pane. */
  foreground: boolean;
}

/** The first process below the pane's own, level by level, that goes by one of these names. */
export function findTool(panePid: number, names: readonly string[]): FoundTool | undefined {
  let level = [panePid];
  const seen = new Set<number>();
  while (level.length > 0) {
    for (const pid of level) {
      seen.add(pid);
      const name = namesOfProcess(pid).find((each) => names.includes(each));
      if (name !== undefined) return describe(pid, name);
    }
    level = level.flatMap(childrenOf).filter((pid) => !seen.has(pid));
  }
  return undefined;
}

function describe(pid: number, name: string): FoundTool | undefined {
  const status = processStatus(pid);
  if (!status || status.state === 'ended') return undefined;
  const identity = { pid, startTicks: status.startTicks, bootId: bootId() };
  return { identity, name, foreground: status.processGroup === status.foregroundGroup };
}
