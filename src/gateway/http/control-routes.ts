import type { Hono } from 'hono';
import { queryNumber, readBody } from '../../http/index.ts';
import {
  controlPromptBody,
  type HeadlessState,
  nextPromptSessionBody,
  refusal,
  sendKeysBody,
  submitPromptPayload,
} from '../../wire/index.ts';
import { type ControlDependencies, promptNow, sendKeysNow } from '../control/index.ts';

/** Direct control of the agent, and what its surface shows. */
export function controlRoutes(app: Hono, on: ControlDependencies): void {
  app.post('/v1/control/prompt', async (context) =>
    context.json(await promptNow(await readBody(context, controlPromptBody), on)),
  );
  app.post('/v1/control/send-keys', async (context) =>
    context.json(await sendKeysNow(await readBody(context, sendKeysBody), on)),
  );

  app.get('/v1/control/tui/state', (context) => context.json(tui(on).state()));
  app.get('/v1/control/tui/history', (context) => {
    const limit = queryNumber(context, 'limit', { min: -1_000_000, max: 1_000_000 }) ?? 100;
    return context.json(tui(on).history(limit));
  });
  app.post('/v1/control/tui/note-prompt', async (context) => {
    const { prompt } = await readBody(context, submitPromptPayload);
    return context.json(tui(on).notePrompt(prompt));
  });

  app.get('/v1/control/headless/state', (context) => context.json(headlessState(on)));
  app.post('/v1/control/headless/next-prompt-session', async (context) => {
    const { mode } = await readBody(context, nextPromptSessionBody);
    headless(on).setNextPromptSession(mode);
    return context.json(headlessState(on));
  });
}

function tui({ surface }: ControlDependencies) {
  if (!surface.tui) throw refusal('unsupported_target', 'this agent is headless: it has no screen');
  return surface.tui;
}

function headless({ surface }: ControlDependencies) {
  if (!surface.headless) throw refusal('unsupported_target', 'this agent is a TUI, not headless');
  return surface.headless;
}

function headlessState(on: ControlDependencies): HeadlessState {
  const { request_admission, active_execution, queue_depth } = on.presence.status();
  return { schema_version: 1, ...headless(on).state(), request_admission, active_execution, queue_depth };
}
