import { LOCAL_DOMAIN, NAME_PREFIX, OPERATOR_NAME } from '../../wire/houmao/index.ts';

/** A participant of a message in the stored document. */
export interface MailPrincipal {
  principal_id: string;
  address: string;
  display_name?: string | undefined;
  manifest_path_hint?: string | undefined;
  role?: string | undefined;
}

/** A participant of a message as callers see it. */
export interface MailParticipant {
  address: string;
  display_name?: string;
  principal_id?: string;
}

export function asParticipant({ address, display_name, principal_id }: MailPrincipal): MailParticipant {
  return { address, ...(display_name === undefined ? {} : { display_name }), principal_id };
}

/** Registered for an agent: it has a manifest. Every other sender is a person. */
export function isAgent({ address, manifest_path_hint }: MailPrincipal): boolean {
  return manifest_path_hint !== undefined && address !== OPERATOR.address;
}

/** The person behind the agents: registered in every root, sender of posts, recipient of their replies. */
export const OPERATOR: Readonly<MailPrincipal> = Object.freeze({
  principal_id: `${NAME_PREFIX}-operator`,
  address: `${NAME_PREFIX}-operator@${LOCAL_DOMAIN}`,
  display_name: OPERATOR_NAME,
  role: 'system_operator',
});

/** The name under which Rouse itself writes, from the operator's mailbox. */
export const ROUSE_NAME = 'Rouse';

/** Whether Rouse itself wrote it. Others choose their names, so only the operator's mailbox counts. */
export const isFromRouse = ({ address, display_name }: MailParticipant): boolean =>
  address === OPERATOR.address && display_name === ROUSE_NAME;
