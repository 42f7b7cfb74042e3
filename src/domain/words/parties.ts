/** Who asks and who answers. */
export const PARTY_TYPES = ['agent', 'user'] as const;

/** Whose token of the fleet server it is. */
export const TOKEN_KINDS = [...PARTY_TYPES, 'admin'] as const;

/**
 * What a token allows beyond its kind. `launch`: launch, relaunch and stop agents on the server's host, attach and detach
 * their gateways; this runs programs as the server's account. `shutdown`: stop the server.
 */
export const GRANTS = ['launch', 'shutdown'] as const;

export type PartyType = (typeof PARTY_TYPES)[number];
export type TokenKind = (typeof TOKEN_KINDS)[number];
export type Grant = (typeof GRANTS)[number];
