import * as z from 'zod';
import { GRANTS, TOKEN_KINDS } from '../../domain/index.ts';
import { about, integer, name, nameOf, nextPage, oneLine, stamp, strict } from '../fields.ts';

const word = oneLine.max(200);

const grants = z.array(z.enum(GRANTS)).max(GRANTS.length);

/** Body of `POST /admin/orgs`. */
export const orgBody = name('FleetOrgBody', strict({ name: word }));

export const orgView = name('FleetOrg', strict({ org_id: z.string(), name: z.string(), created_at: stamp }));
export const orgList = name('FleetOrgList', strict({ orgs: z.array(orgView) }));

/** Body of `POST /admin/tokens`. */
export const tokenBody = name(
  'FleetTokenBody',
  strict({
    kind: z.enum(TOKEN_KINDS),
    subject: about('The name that requests show. Optional for an agent token.', nameOf('person')).optional(),
    agent: about('Workspace id, agent id or name; only for an agent token.', word).optional(),
    org: about("Name of the org. Default: that of the caller's token, else `default`.", word).optional(),
    all_orgs: about(
      'An administrator of the whole server; only another one can make it.',
      z.boolean(),
    ).default(false),
    grants: about(
      'Only an administrator of the whole server can set them, and only for a person.',
      grants,
    ).default([]),
    expires_in_seconds: about(
      'Default: never.',
      z
        .int()
        .min(1)
        .max(10 * 366 * 86_400),
    ).optional(),
  }),
);

const view = {
  token_id: z.string(),
  kind: z.enum(TOKEN_KINDS),
  org_id: z.string().nullable(),
  org: z.string().nullable(),
  workspace_id: z.string().nullable(),
  subject: z.string(),
  grants,
  prefix: about('The first characters of the secret, to tell tokens apart.', z.string()),
  created_at: stamp,
  last_used_at: stamp.nullable(),
  expires_at: stamp.nullable(),
  revoked_at: stamp.nullable(),
};

export const tokenView = name('FleetToken', strict(view));
export const newToken = name(
  'FleetNewToken',
  strict({ ...view, token: about('The secret. Shown once; only its hash is kept.', z.string()) }),
);
export const tokenList = name('FleetTokenList', strict({ tokens: z.array(tokenView), ...nextPage }));

export const tokenListQuery = strict({
  all: about('`true`: also tokens that have ended.', z.enum(['true', 'false']).optional()),
  limit: about('1 to 1000. Default 200.', integer.min(1).max(1000).optional()),
  cursor: about('`next_cursor` of the previous page.', z.uuid().optional()),
});

/** The mailbox of a removed agent. */
export const leftMailbox = name(
  'FleetLeftMailbox',
  strict({
    mailbox_id: z.string(),
    org_id: z.string(),
    address: z.string(),
    display_name: z.string().nullable(),
    message_count: integer,
    retired_at: stamp,
  }),
);
export const leftMailboxList = name(
  'FleetLeftMailboxList',
  strict({ mailboxes: z.array(leftMailbox), ...nextPage }),
);
export const leftMailboxQuery = strict({
  limit: about('1 to 1000. Default 200.', integer.min(1).max(1000).optional()),
  cursor: about(
    '`next_cursor` of the previous page.',
    z
      .string()
      .regex(/^\d{1,18}$/)
      .optional(),
  ),
});

/** Body of `POST /admin/mailboxes/{mailbox_id}/hand-over`. */
export const handOverBody = name(
  'FleetHandOverBody',
  strict({
    to_agent: about(
      'Workspace id, agent id or name of an agent with a mailbox. Default: the mailbox of the people of the org.',
      word,
    ).optional(),
  }),
);
export const handedOver = name(
  'FleetHandedOver',
  strict({ address: about('The mailbox that has the mail now.', z.string()), handed_over: integer }),
);

export type OrgView = z.infer<typeof orgView>;
export type TokenInput = z.input<typeof tokenBody>;
export type LeftMailboxList = z.infer<typeof leftMailboxList>;
export type FleetToken = z.infer<typeof tokenView>;
export type FleetNewToken = z.infer<typeof newToken>;
