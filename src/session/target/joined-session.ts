import { crashPoint } from '../../base/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { readManifest } from '../records/manifest-store.ts';
import { OUR_VARIABLES } from '../records/our-variables.ts';
import {
  holderOf,
  type Pane,
  type SessionTmux,
  type VariableHolder,
  type VariableState,
} from '../session-tmux.ts';

/** The name that joins of earlier versions gave the agent's window. */
const AGENT_WINDOW_NAME = 'agent';

export type BeforeJoin = NonNullable<NonNullable<SessionManifest['tmux']>['before_join']>;

/** What a join is about to change in somebody's session, as it stands now. */
export async function lookBeforeJoin(
  tmux: SessionTmux,
  holder: VariableHolder,
  pane: Pane,
): Promise<BeforeJoin> {
  const { name, automaticRename } = await tmux.windowLabel(pane.windowId);
  const variables = await tmux.variables(holder);
  return {
    window_id: pane.windowId,
    window_name: name,
    automatic_rename: automaticRename,
    renamed: false,
    variables: OUR_VARIABLES.map((variable) => ({
      name: variable,
      ...(variables?.get(variable) ?? { state: 'absent' }),
    })),
  };
}

export type PutBack = 'put_back' | 'as_it_was' | 'gone';

/**
 * Gives a joined session back as it was found: the name of its window, unless a person has given it another since, and
 * its variables. What makes the session ours is cleared with the rest in one turn of tmux; a session without it has been
 * given back already, or is somebody else's by now, and is not touched.
 */
export async function putBack(tmux: SessionTmux, facts: ManifestFacts): Promise<PutBack> {
  const holder = holderOf(facts);
  const variables = await tmux.environment(holder);
  if (variables === undefined) return 'gone';
  if (!isOurs(variables, facts)) return 'as_it_was';
  const before = readManifest(facts.root).tmux?.before_join;
  // A window of CAO's was never renamed.
  if (before && before.renamed !== false && facts.backend !== 'cao_rest') {
    const label = { name: before.window_name, automaticRename: before.automatic_rename };
    await tmux.restoreWindow(before.window_id, AGENT_WINDOW_NAME, label);
    crashPoint('session.leave.window');
  }
  const known = new Map(before?.variables.map(({ name, ...state }) => [name, state as VariableState]));
  const wanted = OUR_VARIABLES.map((name): [string, VariableState] => [
    name,
    known.get(name) ?? { state: 'absent' },
  ]);
  return (await tmux.setVariables(holder, wanted)) ? 'put_back' : 'gone';
}

/** It points at this manifest; or it bears the agent's id, and its pointer leads nowhere. */
function isOurs(variables: Map<string, string>, facts: ManifestFacts): boolean {
  const pointer = variables.get('HOUMAO_MANIFEST_PATH');
  if (pointer === facts.path) return true;
  const elsewhere = pointer !== undefined && tryManifestFacts(pointer) !== undefined;
  return variables.get('HOUMAO_AGENT_ID') === facts.agentId && !elsewhere;
}
