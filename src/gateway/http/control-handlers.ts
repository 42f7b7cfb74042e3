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
export function controlHandlers(on: ControlDependencies): Handlers<ControlRoutes> {
  return {
    'control.prompt': async ({ body }) => promptNow(await body(), on),
    'control.sendKeys': async ({ body }) => sendKeysNow(await body(), on),
    'tui.state': () => tui(on).state() as TuiState,
    'tui.history': ({ query }) => {
      const { limit } = query();
      return tui(on).history(limit) as TuiHistory;
    },
    'tui.screen': ({ context, query }) => seeScreen(on, query(), context.req.raw.signal),
    'tui.notePrompt': async ({ body }) => {
      const { prompt } = await body();
      return tui(on).notePrompt(prompt) as TuiState;
    },
    'headless.state': () => headlessState(on),
    'headless.nextPromptSession': async ({ body }) => {
      const { mode } = await body();
      headless(on).setNextPromptSession(mode);
      return headlessState(on);
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
function headlessState(on: ControlDependencies): HeadlessState {
  const { request_admission, active_execution, queue_depth } = on.presence.status();
  const state = headless(on).state();
  const can_accept_prompt_now = state.can_accept_prompt_now && on.presence.blockedBy() === undefined;
  const gateway = { request_admission, active_execution, queue_depth };
  return { schema_version: 1, ...state, can_accept_prompt_now, ...gateway };
}
