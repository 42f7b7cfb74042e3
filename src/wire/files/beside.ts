/**
 * Files that the source's programs read have only its fields. Our own fields are in a file beside each: `manifest.json` and
 * `manifest.rouse.json`. Version 0.1.0 wrote both into one file. Loads no schemas.
 */
type Json = Record<string, unknown>;

export const besideOf = (file: string): string => file.replace(/\.json$/, '.rouse.json');

/**
 * Both files as one document. The file beside counts only while the fields `by` are equal in both, because it may be older or
 * newer. Fields of the published file take precedence.
 */
export function joinedFile(published: Json, beside: Json | undefined, by: readonly string[]): Json {
  if (!beside || by.some((field) => beside[field] !== published[field])) return published;
  return merged(beside, published);
}

function merged(under: Json, over: Json): Json {
  const result: Json = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = under[key];
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The fields that tie the two files together. */
export const INSTANCE_BY = ['pid', 'port'] as const;
export const RECORD_BY = ['generation_id'] as const;
export const MANIFEST_BY = ['agent_id', 'created_at_utc'] as const;

/**
 * A manifest with the file beside it. The notes of a join count only while the session is a joined one, because a relaunch ends
 * that by changing the manifest alone.
 */
export function joinedManifest(published: Json, beside: Json | undefined): Json {
  const { home_given: homeGiven, ...document } = joinedFile(published, beside, MANIFEST_BY);
  const { launch_plan: plan, tmux, agent_launch_authority: authority } = document;
  if (homeGiven === false && isObject(plan)) document['launch_plan'] = { ...plan, home_selector: null };
  if (isObject(authority) && isObject(plan)) document['agent_launch_authority'] = withWords(authority, plan);
  const joined = isObject(authority) && authority['session_origin'] === 'joined_tmux';
  if (!joined && isObject(tmux)) {
    const { before_join: _, agent_pane: __, variables_of: ___, ...rest } = tmux;
    document['tmux'] = rest;
  }
  return document;
}

/** The source has no arguments and variables in an authority that starts the tool by its launch plan. */
function withWords(authority: Json, plan: Json): Json {
  const { metadata } = plan;
  const noted = isObject(metadata) && isObject(metadata['rouse']) ? metadata['rouse'] : {};
  return {
    ...authority,
    launch_args: authority['launch_args'] ?? plan['args'] ?? [],
    launch_env: authority['launch_env'] ?? noted['launch_env'] ?? [],
  };
}
