/**
 * Identity: who the caller is. Tenants (orgs) and tokens of agents, people and administrators.
 *
 * Promises  A secret is shown once and stored as a hash; a refusal never says which part was wrong.
 *           A database that fails is `unavailable`, never `unauthorized`: a client must not discard its token for it.
 * Never     Trusts a body or a path about who the caller is.
 * Errors    `unauthorized` without a valid token, `forbidden` with one that is not enough.
 */
export { grantToken, orgFor } from './grant.ts';
export {
  type AgentIdentity,
  type Identity,
  maySeeOrg,
  type Party,
  type PersonIdentity,
  partyOf,
  requireAdmin,
  requireGrant,
  requirePerson,
  requireServerAdmin,
  requireWorkspace,
} from './identity.ts';
export { DEFAULT_ORG, ensureOrg, listOrgs, type Org } from './orgs.ts';
export {
  createToken,
  hasServerAdmin,
  identify,
  isLiveToken,
  isTokenGood,
  listTokens,
  requireLive,
  revokeToken,
  revokeTokensOf,
  type TokenView,
} from './tokens.ts';
