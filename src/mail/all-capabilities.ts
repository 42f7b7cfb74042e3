import type { MailCapabilities } from './port.ts';

/** For a transport that can express everything the port knows. */
export const ALL_CAPABILITIES: Readonly<MailCapabilities> = Object.freeze({
  post: true,
  cc: true,
  attachments: true,
  sent_box: true,
  boxes: true,
  read_flag: true,
  answered_flag: true,
  unarchive: true,
  search: true,
});
