/** Intended differences from the source, besides the marked ones. */

/** Routes of the source that are not served, with why. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  '/v1/memory': 'An agent has no memory pages here; its tool has its own.',
  '/houmao/agents/{agent_ref}/gateway/memory': 'The same.',
  '/houmao/terminals':
    'Ask the gateway of an agent for its screen: `…/gateway/tui/state` and `…/gateway/tui/history`.',
  '/cao':
    'A CAO server keeps its terminals; `rouse agents join --agent-name NAME --cao TERMINAL_ID` puts a gateway beside one.',
  '/workspaces/{workspace_id}/activity': 'Messages reach an agent with the heartbeat of its gateway.',
  '/registry/heartbeat':
    'Served with responses of our own: they carry the messages, which cannot be left out.',
  '/registry/register': 'The same.',
};

export const whyNotServed = (path: string): string | undefined =>
  Object.entries(NOT_SERVED).find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];

/** Fields and statuses with another meaning. */
export const DIFFERENCES: readonly string[] = [
  '`backend` is `kimi_headless` or `generic_headless` for tools that the source does not know, and `transport` of mail `fleet` or `flatfile`: the source has no name for them, so its clients cannot work with such agents.',
  'An unknown message of mail is 404, not 502; a bad field is 422, never 500.',
  'A prompt whose submission could not be proven is refused with `dispatch_failed`; the source reports `ok` once it has pasted.',
  '`launch_headless_agent` and `register_launch` take the bodies of docs/managed-agents.md: nothing is built from definition directories.',
  '`brain_manifest_path` of a manifest names no file. `role_name` is `none` without a role; `home_selector` is `HOME` without `--home`; `profile_name` and `profile_path` of a CAO terminal are `unknown` when CAO does not report them.',
  'A terminal of the server has no `/houmao/terminals` route; `canonical_terminal_state_route` leads to its gateway.',
  'Error bodies have the statuses of the source; a refused prompt stays an object where a server of the source turns it into text.',
  'A repeated interrupt or message is reported as such (`no_op`, `duplicate`) in our own fields.',
];
