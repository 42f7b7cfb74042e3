import type { Context, Hono } from 'hono';
import type { Clock, Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { ARCHIVE, INBOX, parseMailRef, parseMailRefs } from '../../domain/index.ts';
import { type Call, countAsHeld, serve } from '../../http/index.ts';
import { MAILBOX_ROUTES } from '../../wire/index.ts';
import type { HeldPlaces } from '../held-places.ts';
import { type Identity, requireLive } from '../identity/index.ts';
import type { Arrivals } from '../registry/index.ts';
import { getPart, putPart } from './attachment-parts.ts';
import { bindMailbox, unbindMailbox } from './bind.ts';
import { mailDomain } from './domain.ts';
import { countInbox, countMessages, listMessages, searchMessages } from './list-messages.ts';
import { type MailboxRow, ownMailbox, requireAgent, versionOf } from './mailbox-rows.ts';
import { FLEET } from './message-view.ts';
import { changeOwn, type FlagChange, requireOwn, showMessage, waitingPlace } from './own-messages.ts';
import { postMail, replyMail, type Sent, sendMail } from './send.ts';
import { trailOf } from './trail.ts';

export interface MailRoutes {
  sql: Sql;
  clock: Clock;
  log: Log;
  arrivals: Arrivals;
  /** Aborted when the server stops; held responses are sent at once. */
  stopping: AbortSignal;
  held: HeldPlaces;
  callerOf: (context: Context) => Identity;
}

type FromCaller = Pick<Call<never>, 'context'>;

/** Each route works on the one mailbox that the token reaches. */
export function mailRoutes(app: Hono, on: MailRoutes): void {
  const { sql, callerOf } = on;
  const own = ({ context }: FromCaller): Promise<MailboxRow> => ownMailbox(sql, callerOf(context));
  const changed = async <B extends { message_refs: string[] }>(
    call: FromCaller & { body(): Promise<B> },
    changeOf: (body: B) => FlagChange,
  ) => {
    const self = await own(call);
    const body = await call.body();
    return { messages: await changeOwn(sql, self, parseMailRefs(FLEET, body.message_refs), changeOf(body)) };
  };
  serve(app, MAILBOX_ROUTES, {
    'mailbox.bind': async ({ context, body }) =>
      bindMailbox(sql, requireAgent(callerOf(context)), await body()),
    'mailbox.unbind': async ({ context, body }) => {
      const agent = requireAgent(callerOf(context));
      return { address: await unbindMailbox(sql, agent, (await body()).mode) };
    },
    'mailbox.status': async (call) => statusOf(sql, await own(call)),
    'mailbox.watch': async (call) => watched(on, call, await own(call)),
    'mailbox.list': async (call) => listMessages(sql, await own(call), await call.body()),
    'mailbox.count': async (call) => countMessages(sql, await own(call), await call.body()),
    'mailbox.search': async (call) => searchMessages(sql, await own(call), await call.body()),
    'mailbox.peek': async (call) => {
      const self = await own(call);
      const { seq } = await requireOwn(sql, self, await call.body());
      return { message: await showMessage(sql, self, seq) };
    },
    'mailbox.read': async (call) => {
      const self = await own(call);
      const { message_id } = await requireOwn(sql, self, await call.body());
      const [message] = await changeOwn(sql, self, [message_id], { read: true });
      return { message: message! };
    },
    'mailbox.trail': async (call) => {
      const self = await own(call);
      const { message_ref, most } = await call.body();
      const { message_id } = await requireOwn(sql, self, { message_ref });
      return { steps: await trailOf(sql, self, parseMailRef(FLEET, message_id), most) };
    },
    'mailbox.send': (call) => sent(on, call, sendMail),
    'mailbox.post': (call) => sent(on, call, postMail),
    'mailbox.reply': (call) => sent(on, call, replyMail),
    'mailbox.mark': (call) =>
      changed(call, ({ read, answered, archived }) => ({
        read,
        answered,
        box: archived == null ? undefined : archived ? ARCHIVE : INBOX,
      })),
    'mailbox.move': (call) => changed(call, ({ destination_box: box }) => ({ box })),
    'mailbox.archive': (call) => changed(call, () => ({ box: ARCHIVE })),
    'mailbox.attachments.put': async (call) => putPart(sql, await own(call), await call.body()),
    'mailbox.attachments.get': async (call) =>
      getPart(sql, await own(call), { ...call.params, part: call.query().part }),
  });
}

/** Logs the message by the id that follows it to the end of the turn for which it wakes its reader. */
async function sent<B>(
  { sql, clock, log, callerOf }: MailRoutes,
  call: FromCaller & { body(): Promise<B> },
  send: (sql: Sql, self: MailboxRow, mail: B & { at: Date }) => Promise<Sent>,
): Promise<Sent> {
  const self = await ownMailbox(sql, callerOf(call.context));
  const done = await send(sql, self, { ...(await call.body()), at: clock.now() });
  const { message_ref: trace_id, to, cc } = done.message;
  const recipients = to.length + cc.length;
  if (!done.duplicate) log.info('mail stored', { trace_id, mailbox: self.id, recipients });
  return done;
}

async function statusOf(sql: Sql, mailbox: MailboxRow) {
  const { address, principal_id, org_id } = mailbox;
  const { open_count, unread_count } = await countInbox(sql, mailbox);
  const domain = await mailDomain(sql, org_id);
  return { address, principal_id, domain, version: versionOf(mailbox), open_count, unread_count };
}

type Watching = Call<(typeof MAILBOX_ROUTES)['mailbox.watch']>;

function watched(on: MailRoutes, call: Watching, self: MailboxRow): Promise<{ version: string }> {
  const { signal } = call.context.req.raw;
  return on.held.during(self.org_id, signal, (gone) => newVersion(on, call, self, gone));
}

/** Holds until the mailbox's version differs from the known one. No database connection waits in the meantime. */
async function newVersion(
  { sql, clock, arrivals, stopping, callerOf }: MailRoutes,
  { context, body }: Watching,
  self: MailboxRow,
  gone: AbortSignal,
): Promise<{ version: string }> {
  const caller = callerOf(context);
  const { version, wait_seconds } = await body();
  if (wait_seconds > 0) countAsHeld(context);
  const deadline = clock.monotonic() + wait_seconds * 1000;
  const expected = arrivals.expect(waitingPlace(self));
  try {
    const over = AbortSignal.any([gone, stopping]);
    let now = versionOf(await ownMailbox(sql, caller));
    while (now === version && (await expected.next(deadline - clock.monotonic(), over))) {
      await requireLive(sql, caller.tokenId);
      now = versionOf(await ownMailbox(sql, caller));
    }
    return { version: now };
  } finally {
    expected.end();
  }
}
