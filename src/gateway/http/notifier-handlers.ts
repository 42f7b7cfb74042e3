import type { Handlers } from '../../http/index.ts';
import type { GatewayRoutes } from '../../wire/index.ts';
import type { Notifier } from '../notifier/index.ts';

type NotifierRoutes = Pick<
  GatewayRoutes,
  | 'notifier.status'
  | 'notifier.enable'
  | 'notifier.disable'
  | 'notifier.resume'
  | 'notifier.decisions'
  | 'notifier.preview'
>;

/** Whether, how and why the agent is woken for mail. */
export function notifierHandlers(notifier: Notifier): Handlers<NotifierRoutes> {
  return {
    'notifier.status': () => notifier.settings.status(),
    'notifier.enable': async ({ body }) => notifier.settings.enable(await body()),
    'notifier.disable': () => notifier.settings.disable(),
    'notifier.resume': async ({ body }) => notifier.resume((await body()).thread_ref),
    'notifier.preview': () => notifier.preview(),
    'notifier.decisions': ({ query }) => {
      const { limit, before, message_ref: ref } = query();
      return {
        schema_version: 1,
        decisions: notifier.decisions(limit, before),
        ...(ref !== undefined && { announced_by: notifier.announcedBy(ref) ?? null }),
      };
    },
  };
}
