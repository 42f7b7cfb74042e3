import type * as z from 'zod';
import { MAIL_OPERATIONS, type MailOperationName } from '../../domain/schemas.ts';
import { name, schemaVersion } from '../fields.ts';

const version = { schema_version: schemaVersion(1) };

/** The bodies of the mail routes: the input of the operation, and the version of the wire. */
export const mailListBody = name('MailListBody', MAIL_OPERATIONS.list.safeExtend(version));
export const mailSearchBody = name('MailSearchBody', MAIL_OPERATIONS.search.safeExtend(version));
export const mailOneBody = name('MailOneBody', MAIL_OPERATIONS.peek.safeExtend(version));
export const mailSendBody = name('MailSendBody', MAIL_OPERATIONS.send.safeExtend(version));
export const mailPostBody = name('MailPostBody', MAIL_OPERATIONS.post.safeExtend(version));
export const mailReplyBody = name('MailReplyBody', MAIL_OPERATIONS.reply.safeExtend(version));
export const mailMarkBody = name('MailMarkBody', MAIL_OPERATIONS.mark.safeExtend(version));
export const mailMoveBody = name('MailMoveBody', MAIL_OPERATIONS.move.safeExtend(version));
export const mailArchiveBody = name('MailArchiveBody', MAIL_OPERATIONS.archive.safeExtend(version));

export const MAIL_BODIES = {
  list: mailListBody,
  check: mailListBody,
  search: mailSearchBody,
  peek: mailOneBody,
  read: mailOneBody,
  send: mailSendBody,
  post: mailPostBody,
  reply: mailReplyBody,
  mark: mailMarkBody,
  move: mailMoveBody,
  archive: mailArchiveBody,
} satisfies Record<MailOperationName, z.ZodType>;
