import * as path from 'node:path';
import { ensurePrivateDirectory, readObjectIfAny, writeJsonAtomic } from '../../base/index.ts';

/** A person looks at few dialogs at a time; older ones are forgotten. */
const MAX_KEPT = 50;

interface ShownDialogs {
  schema_version: 1;
  /** The dialog that was last shown of each agent, by its hash; the newest last. */
  dialogs: [agent: string, hash: string][];
}

/** The hash of the dialog of the agent that this person saw last. */
export const shownDialog = (home: string, agent: string): string | undefined =>
  new Map(read(home)).get(agent);

export function rememberShown(home: string, agent: string, hash: string): void {
  if (shownDialog(home, agent) !== hash) write(home, [...others(home, agent), [agent, hash]]);
}

/** A key was pressed: the same question asked again is another dialog, and is shown again. */
export function forgetShown(home: string, agent: string): void {
  write(home, others(home, agent));
}

const others = (home: string, agent: string): ShownDialogs['dialogs'] =>
  read(home).filter(([name]) => name !== agent);

function write(home: string, dialogs: ShownDialogs['dialogs']): void {
  ensurePrivateDirectory(path.dirname(fileIn(home)));
  const document: ShownDialogs = { schema_version: 1, dialogs: dialogs.slice(-MAX_KEPT) };
  writeJsonAtomic(fileIn(home), document, { mode: 0o600 });
}

const fileIn = (home: string): string => path.join(home, 'config', 'shown-dialogs.json');

/** A damaged file only means that the dialog is shown once more before a key is pressed. */
function read(home: string): ShownDialogs['dialogs'] {
  const { dialogs } = (readObjectIfAny(fileIn(home)) ?? {}) as Partial<ShownDialogs>;
  if (!Array.isArray(dialogs)) return [];
  return dialogs.filter(
    (each) => Array.isArray(each) && each.length === 2 && each.every((text) => typeof text === 'string'),
  );
}
