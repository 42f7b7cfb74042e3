import type { Hono } from 'hono';
import type { Sql } from '../../db/index.ts';
import { readBody } from '../../http/index.ts';
import {
  type FleetToken,
  type OrgView,
  orgBody,
  parseBody,
  tokenBody,
  tokenListQuery,
} from '../../wire/index.ts';
import {
  ensureOrg,
  grantToken,
  listOrgs,
  listTokens,
  type Org,
  requireAdmin,
  requireServerAdmin,
  revokeToken,
  type TokenView,
} from '../identity/index.ts';
import { resolveWorkspace, wakeHeldBeats } from '../registry/index.ts';
import { requireCaller } from './authenticate.ts';
import { numbered } from './query-numbers.ts';

/** Tenants and tokens. Administrators of an org see and make what is of their org. */
export function adminRoutes(app: Hono, sql: Sql): void {
  app.post('/admin/orgs', async (context) => {
    requireServerAdmin(requireCaller(context));
    const { name } = await readBody(context, orgBody);
    return context.json(orgView(await ensureOrg(sql, name)));
  });
  app.get('/admin/orgs', async (context) => {
    const { orgId } = requireAdmin(requireCaller(context));
    return context.json({ orgs: (await listOrgs(sql, orgId)).map(orgView) });
  });
  app.post('/admin/tokens', async (context) => {
    const asker = requireAdmin(requireCaller(context));
    const { agent, all_orgs, expires_in_seconds, ...wish } = await readBody(context, tokenBody);
    const { token, view } = await grantToken(
      sql,
      asker,
      { ...wish, allOrgs: all_orgs, expiresInSeconds: expires_in_seconds },
      agent === undefined ? undefined : (orgId) => resolveWorkspace(sql, orgId, agent),
    );
    return context.json({ ...tokenView(view), token });
  });
  app.get('/admin/tokens', async (context) => {
    const asker = requireAdmin(requireCaller(context));
    const { all, limit = 200, cursor } = parseBody(tokenListQuery, numbered(context.req.query()), 'query');
    const page = await listTokens(sql, asker, { all: all === 'true', limit, after: cursor });
    return context.json({
      tokens: page.tokens.map(tokenView),
      next_cursor: page.next,
      truncated: page.next !== null,
    });
  });
  app.post('/admin/tokens/:id/revoke', async (context) => {
    const asker = requireAdmin(requireCaller(context));
    const view = await revokeToken(sql, asker, context.req.param('id'));
    if (view.workspace_id !== null) await wakeHeldBeats(sql, view.workspace_id);
    return context.json(tokenView(view));
  });
}

const orgView = ({ id, name, created_at }: Org): OrgView => ({
  org_id: id,
  name,
  created_at: created_at.toISOString(),
});

function tokenView({ id, ...view }: TokenView): FleetToken {
  const stamp = (at: Date | null): string | null => at?.toISOString() ?? null;
  return {
    token_id: id,
    ...view,
    created_at: view.created_at.toISOString(),
    last_used_at: stamp(view.last_used_at),
    expires_at: stamp(view.expires_at),
    revoked_at: stamp(view.revoked_at),
  };
}
