/** Only the bodies of mail operations, for commands that must start fast. */
export { parseBody } from './parse-body.ts';
export { MAIL_BODIES } from './v1/mail-requests.ts';
export type { MailStatus } from './v1/mail-responses.ts';
