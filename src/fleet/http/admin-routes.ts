import { Readable } from 'node:stream';
import type { Hono } from 'hono';
import type { Sql } from '../../db/index.ts';
import { serve } from '../../http/index.ts';
import { ADMIN_ROUTES, type FleetToken, type OrgView, SWEEPER_ROUTES } from '../../wire/index.ts';
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
import { handOverMailbox, listLeftMailboxes } from '../mail/index.ts';
import { resolveWorkspace, wakeHeldBeats } from '../registry/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';

/** Tenants and tokens. Administrators of an org see and make those of their org. */
export function adminRoutes(app: Hono, sql: Sql, backup: () => Promise<Readable>): void {
  serve(app, ADMIN_ROUTES, {
    'admin.orgs.create': async ({ context, body }) => {
      requireServerAdmin(requireCaller(context));
      return orgView(await ensureOrg(sql, (await body()).name));
    },
    'admin.backup': async ({ context }) => {
      requireServerAdmin(requireCaller(context));
      const stream = Readable.toWeb(await backup()) as ReadableStream<Uint8Array>;
      return context.body(stream, 200, { 'content-type': 'application/gzip' });
    },
    'admin.orgs.list': async ({ context }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      return { orgs: (await listOrgs(sql, orgId)).map(orgView) };
    },
    'admin.tokens.create': async ({ context, body }) => {
      const asker = requireAdmin(requireCaller(context));
      const { agent, all_orgs, expires_in_seconds, ...wish } = await body();
      const { token, view } = await grantToken(
        sql,
        asker,
        { ...wish, allOrgs: all_orgs, expiresInSeconds: expires_in_seconds },
        agent === undefined ? undefined : (orgId) => resolveWorkspace(sql, orgId, agent),
      );
      return { ...tokenView(view), token };
    },
    'admin.tokens.list': async ({ context, query }) => {
      const asker = requireAdmin(requireCaller(context));
      const { all, limit = 200, cursor } = query();
      const page = await listTokens(sql, asker, { all: all === 'true', limit, after: cursor });
      return {
        tokens: page.tokens.map(tokenView),
        next_cursor: page.next,
        truncated: page.next !== null,
      };
    },
    'admin.mailboxes.list': async ({ context, query }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      const { limit = 200, cursor } = query();
      return listLeftMailboxes(sql, { orgId, limit, after: cursor });
    },
    'admin.mailboxes.handOver': async ({ context, params, body }) => {
      const { orgId } = requireAdmin(requireCaller(context));
      const { to_agent } = await body();
      const find =
        to_agent === undefined ? undefined : (tx: Sql, org: string) => resolveWorkspace(tx, org, to_agent);
      return handOverMailbox(sql, { orgId, mailboxId: params.mailbox_id, find });
    },
    'admin.tokens.revoke': async ({ context, params, body }) => {
      const asker = requireAdmin(requireCaller(context));
      await body();
      const view = await revokeToken(sql, asker, params.token_id);
      if (view.workspace_id !== null) await wakeHeldBeats(sql, view.workspace_id);
      return tokenView(view);
    },
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

/** A sweep covers all tenants, so only an administrator of the whole server may see or start one. */
export function sweeperRoutes(app: Hono, sweepers: Sweepers): void {
  serve(app, SWEEPER_ROUTES, {
    'admin.sweepers.list': async ({ context }) => {
      requireServerAdmin(requireCaller(context));
      return { sweepers: await sweepers.views() };
    },
    'admin.sweepers.run': async ({ context, params, query, body }) => {
      requireServerAdmin(requireCaller(context));
      await body();
      return sweepers.run(params.name, { dryRun: query().dry_run === '1' });
    },
  });
}
