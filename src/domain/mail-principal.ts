import { z } from 'zod';
import { addressSchema, LOCAL_DOMAIN } from './mail-address.ts';
import { headerLine } from './mail-check.ts';

/** A party of a message as the stored document names it. */
export const principalSchema = z.strictObject({
  principal_id: headerLine(200),
  address: addressSchema,
  display_name: headerLine(200).optional(),
  manifest_path_hint: headerLine(4096).optional(),
  role: headerLine(200).optional(),
});
export type MailPrincipal = z.output<typeof principalSchema>;

/** A party of a message as callers see it. */
export const participantSchema = z.strictObject({
  address: z.string(),
  display_name: z.string().optional(),
  principal_id: z.string().optional(),
});
export type MailParticipant = z.output<typeof participantSchema>;

export function asParticipant({ address, display_name, principal_id }: MailPrincipal): MailParticipant {
  return { address, ...(display_name === undefined ? {} : { display_name }), principal_id };
}

/** The person behind the agents: registered in every root, sender of posts, sink of their replies. */
export const OPERATOR: Readonly<MailPrincipal> = Object.freeze({
  principal_id: 'HOUMAO-operator',
  address: `HOUMAO-operator@${LOCAL_DOMAIN}`,
  display_name: 'Houmao Operator',
  role: 'system_operator',
});
