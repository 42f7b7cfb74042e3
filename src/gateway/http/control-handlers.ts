import type { Handlers } from '../../http/index.ts';
import {
  type GatewayRoutes,
  type HeadlessState,
  refusal,
  type TuiHistory,
  type TuiState,
} from '../../wire/index.ts';
import { type ControlDependencies, promptNow, seeScreen, sendKeysNow } from '../control/index.ts';

type ControlRoutes = Pick<
  GatewayRoutes,
  | 'control.prompt'
  | 'control.sendKeys'
  | 'tui.state'
  | 'tui.history'
  | 'tui.screen'
  | 'tui.notePrompt'
  | 'headless.state'
  | 'headless.nextPromptSession'
>;

/** Direct control of the agent, and what its surface shows. */
export function controlHandlers(deps: ControlDependencies): Handlers<ControlRoutes> {
  return {
    'control.prompt': async ({ body }) => promptNow(await body(), deps),
    'control.sendKeys': async ({ body }) => sendKeysNow(await body(), deps),
    'tui.state': () => tui(deps).state() as TuiState,
    'tui.history': ({ query }) => {
      const { limit } = query();
      return tui(deps).history(limit) as TuiHistory;
    },
    'tui.screen': ({ context, query }) => seeScreen(deps, query(), context.req.raw.signal),
    'tui.notePrompt': async ({ body }) => {
      const { prompt } = await body();
      return tui(deps).notePrompt(prompt) as TuiState;
    },
    'headless.state': () => headlessState(deps),
    'headless.nextPromptSession': async ({ body }) => {
      const { mode } = await body();
      headless(deps).setNextPromptSession(mode);
      return headlessState(deps);
    },
  };
}

function tui({ surface }: ControlDependencies) {
  if (!surface.tui) throw refusal('unsupported_target', 'this agent is headless: it has no screen');
  return surface.tui;
}

function headless({ surface }: ControlDependencies) {
  if (!surface.headless) throw refusal('unsupported_target', 'this agent is a TUI, not headless');
  return surface.headless;
}

/** A prompt is accepted now only when neither the agent nor the gateway itself is busy. */
function headlessState(deps: ControlDependencies): HeadlessState {
  const { request_admission, active_execution, queue_depth } = deps.presence.status();
  const state = headless(deps).state();
  const can_accept_prompt_now = state.can_accept_prompt_now && deps.presence.blockedBy() === undefined;
  const gateway = { request_admission, active_execution, queue_depth };
  return { schema_version: 1, ...state, can_accept_prompt_now, ...gateway };
}
