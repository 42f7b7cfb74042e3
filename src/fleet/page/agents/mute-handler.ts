import type { Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { Mutes } from '../host/mutes.ts';
import type { ActionParts } from './action-handlers.ts';

type MuteRoutes = Pick<typeof PAGE_ROUTES, 'page.agent.mute'>;

/** A person hides the needs of an agent from themselves. It is a view, so looking is enough of a right. */
export function muteHandler({
  door,
  doing,
  reach,
  mutes,
}: ActionParts & { mutes: Mutes }): Handlers<MuteRoutes> {
  return {
    'page.agent.mute': async ({ context, params, body }) => {
      const session = door.require(context);
      const { action_id: actionId, muted, state } = await body();
      const { row } = await reach.find(params.name);
      const act = { action: muted ? 'mute' : 'unmute', target: row.name, actionId, repeatable: true };
      return doing.receipt(session, { ...act, asked: { muted, state } }, async () => {
        if (muted) await mutes.mute(session.name, row.id, state);
        else await mutes.unmute(session.name, row.id);
        return {
          sentence: muted
            ? `${row.name} is muted for you until its state changes; others still see what it needs.`
            : `${row.name} is no longer muted.`,
        };
      });
    },
  };
}
