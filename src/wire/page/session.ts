import * as z from 'zod';
import { PAGE_RIGHTS, PAGE_ROLES } from '../../domain/index.ts';
import { about, count, integer, nameOf, nextPage, oneOf, stamp, strict } from '../fields.ts';

/** The header for `csrf` of the session, required on every route but the exchange of the code. */
export const PAGE_HEADER = 'x-rouse-page';

const person = nameOf('person', 64);

/** Body of `POST /ui/api/codes`. */
export const pageCodeBody = strict({
  role: oneOf(PAGE_ROLES).default('operate'),
  name: about('Who the link is for, as the audit shows them.', person).default('operator'),
  org: about('Org whose requests the role `answer` may answer.', nameOf('org', 64)).default('default'),
  ttl_seconds: about('How long the code is valid; it works once.', integer.min(1).max(86_400)).default(60),
});

export const pageCode = strict({
  code: about('Shown once; only its hash is kept, in memory.', z.string()),
  name: z.string(),
  role: oneOf(PAGE_ROLES),
  expires_at_utc: stamp,
});

/** Body of `POST /ui/api/session`. */
export const pageLoginBody = strict({ code: z.string().min(1).max(200) });

export const pageSession = strict({
  session_id: about('Its id in the list of sessions; not a secret.', z.string()),
  name: z.string(),
  role: oneOf(PAGE_ROLES),
  rights: about('What the role allows.', z.array(oneOf(PAGE_RIGHTS))),
  csrf: about('Send it as `x-rouse-page` with every request.', z.string()),
  idle_ends_at_utc: about('When it ends without further requests.', stamp),
  server: strict({ instance_id: z.string(), version: z.string(), host: z.string() }),
});

const sessionRow = strict({
  session_id: z.string(),
  name: z.string(),
  role: oneOf(PAGE_ROLES),
  began_at_utc: stamp,
  last_seen_at_utc: stamp,
  tabs: about('Open event streams.', count),
});
export const pageSessionList = strict({ sessions: z.array(sessionRow) });

/** Body of `POST /ui/api/revoke`. */
export const pageRevokeBody = strict({
  session_id: z.string().max(200).optional(),
  name: about(
    'Ends all sessions and codes of this person. Without either field: of everyone.',
    person,
  ).optional(),
});
export const pageRevoked = strict({
  sessions: count,
  codes: count,
  devices: about('Browsers that get no Web Push any more.', count),
});

const auditEntry = strict({
  id: integer,
  at_utc: stamp,
  name: about('The person named by the link; for codes and revocations, the account or token.', z.string()),
  role: z.string(),
  session_id: z.string().nullable(),
  action: about('Such as `prompt`, `dialog`, `mail.send`, `requests.respond`, `login`.', z.string()),
  target: about('The agent, mailbox or request that it affected.', z.string().nullable()),
  outcome: about('`ok`, or the code of the error.', z.string()),
  detail: z.record(z.string(), z.unknown()),
});
export const pageAudit = strict({ entries: z.array(auditEntry), ...nextPage });
export const pageAuditQuery = strict({
  limit: integer.min(1).max(1000).default(100),
  cursor: about('`next_cursor` of the previous page; newest first.', integer.min(1).optional()),
});

export type PageCodeInput = z.input<typeof pageCodeBody>;
export type PageCode = z.infer<typeof pageCode>;
export type PageSession = z.infer<typeof pageSession>;
export type PageSessionList = z.infer<typeof pageSessionList>;
export type PageAudit = z.infer<typeof pageAudit>;
