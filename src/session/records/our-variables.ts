/** Published for an agent while a gateway lives, and only then. */
export const LIVE_VARIABLES = [
  'HOUMAO_AGENT_GATEWAY_HOST',
  'HOUMAO_AGENT_GATEWAY_PORT',
  'HOUMAO_GATEWAY_STATE_PATH',
  'HOUMAO_GATEWAY_PROTOCOL_VERSION',
] as const;

/** Pointers older programs published; they are taken away, because nobody may trust them. */
export const RETIRED_VARIABLES = ['HOUMAO_GATEWAY_ATTACH_PATH', 'HOUMAO_GATEWAY_ROOT'] as const;

/** The variable by which a session, or a window, is known as an agent's. */
export const POINTER = 'HOUMAO_MANIFEST_PATH';

/** Every variable that Rouse sets or unsets in a session. The pointer, by which a session is known as ours, comes last. */
export const OUR_VARIABLES = [...RETIRED_VARIABLES, ...LIVE_VARIABLES, 'HOUMAO_AGENT_ID', POINTER] as const;
