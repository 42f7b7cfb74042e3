import { conflict, forbidden, invalid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Grant, limit, limitHint } from '../../domain/index.ts';
import { type Identity, requireAdmin } from './identity.ts';
import { DEFAULT_ORG, findOrg, type Org, orgOfId } from './orgs.ts';
import { createToken, type NewToken, type TokenView } from './tokens.ts';

/** What an administrator requests. */
export interface TokenRequest {
  kind: NewToken['kind'];
  subject?: string | undefined;
  org?: string | undefined;
  allOrgs: boolean;
  expiresInSeconds?: number | undefined;
  grants?: readonly Grant[] | undefined;
}

/** Finds the agent that a token is for, inside the tenant. */
export type FindAgent = (orgId: string) => Promise<{ id: string; name: string }>;

/**
 * Makes a token that grants no more than the asker has: an administrator of one org makes tokens of that org only, and
 * only an administrator of the whole server makes another such administrator.
 */
export async function grantToken(
  sql: Sql,
  asker: Identity,
  wanted: TokenRequest,
  findAgent?: FindAgent,
): Promise<{ token: string; view: TokenView }> {
  const admin = requireAdmin(asker);
  const { subject, kind, grants = [] } = wanted;
  if (wanted.allOrgs && (kind !== 'admin' || wanted.org !== undefined))
    throw invalid('all_orgs is for an admin token without an org');
  if (wanted.allOrgs && admin.orgId !== null) throw notYours();
  if (kind === 'agent' && !findAgent) throw invalid('an agent token needs "agent"');
  if (kind !== 'agent' && findAgent) throw invalid('"agent" is for an agent token');
  if (kind !== 'agent' && subject === undefined)
    throw invalid('the token needs a "subject": the name of its owner');
  if (kind === 'agent' && grants.length > 0) throw invalid('"grants" are for the token of a person');
  if (grants.length > 0 && admin.orgId !== null)
    throw forbidden(
      'only an administrator of the whole server may give grants, because they reach beyond one org',
    );
  const expiresAt = wanted.expiresInSeconds ? await inSeconds(sql, wanted.expiresInSeconds) : null;
  const person = { subject: subject!, expiresAt, grants };
  if (wanted.allOrgs) return createToken(sql, { kind: 'admin', orgId: null, ...person });
  const org = await orgFor(sql, admin.orgId, wanted.org);
  if (kind !== 'agent') await refuseOneTooMany(sql, org);
  if (kind !== 'agent') return createToken(sql, { kind, orgId: org.id, ...person });
  const agent = await findAgent!(org.id);
  return createToken(sql, {
    kind,
    orgId: org.id,
    workspaceId: agent.id,
    subject: subject ?? agent.name,
    expiresAt,
  });
}

async function refuseOneTooMany(sql: Sql, org: Org): Promise<void> {
  const { rows } = await sql.query(
    `SELECT 1 FROM tokens WHERE org_id = $1::uuid AND kind <> 'agent' AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now()) OFFSET $2::int LIMIT 1`,
    [org.id, limit('tokensPerOrg') - 1],
  );
  if (rows.length === 0) return;
  throw conflict(`org ${org.name} has ${limit('tokensPerOrg')} tokens of people`, {
    hint: limitHint('tokensPerOrg'),
    facts: { cause: 'quota', limit: 'tokensPerOrg' },
  });
}

/** Returns the tenant a request is about: the asker's own, or the named one if the asker may use it. */
export async function orgFor(sql: Sql, own: string | null, name: string | undefined): Promise<Org> {
  if (name === undefined) return own === null ? findOrg(sql, DEFAULT_ORG) : orgOfId(sql, own);
  // Someone else's org and an unknown org get the same error.
  const org = await findOrg(sql, name).catch((error) => {
    throw own === null ? error : notYours();
  });
  if (own !== null && org.id !== own) throw notYours();
  return org;
}

function notYours(): Error {
  return forbidden('this token is for one org and may not reach beyond it');
}

async function inSeconds(sql: Sql, seconds: number): Promise<Date> {
  const { rows } = await sql.query<{ at: Date }>('SELECT now() + make_interval(secs => $1::float8) AS at', [
    seconds,
  ]);
  return rows[0]!.at;
}
