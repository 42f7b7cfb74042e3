import * as z from 'zod';
import { BACKEND_KINDS } from '../../domain/index.ts';
import { absolutePath, strict } from '../fields.ts';

const identity = { principal_id: z.string(), address: z.string() };
const stalwart = {
  transport: z.literal('stalwart'),
  ...identity,
  jmap_url: z.string(),
  management_url: z.string().nullish(),
  login_identity: z.string(),
  credential_ref: z.string(),
  bindings_version: z.string(),
};

/** Which mailbox belongs to the session: `launch_plan.mailbox` of the manifest. No secrets; those are files of their own. */
export const mailboxBinding = z.discriminatedUnion('transport', [
  strict({
    transport: z.literal('filesystem'),
    ...identity,
    filesystem_root: absolutePath,
    bindings_version: z.string(),
    mailbox_kind: z.enum(['in_root', 'symlink']),
    mailbox_path: absolutePath,
  }),
  strict(stalwart),
  strict({
    transport: z.literal('flatfile'),
    ...identity,
    /** The directory that holds inbox.md and outbox.md. */
    mailbox_path: absolutePath,
    bindings_version: z.string(),
  }),
]);

/** The same as a registry record publishes it: enough to find the mailbox, not where its folder is. */
export const publishedMailbox = z.discriminatedUnion('transport', [
  strict({
    transport: z.literal('filesystem'),
    ...identity,
    filesystem_root: absolutePath,
    bindings_version: z.string(),
  }),
  strict(stalwart),
  strict({
    transport: z.literal('flatfile'),
    ...identity,
    mailbox_path: absolutePath,
    bindings_version: z.string(),
  }),
]);

/** How the agent was started, without any secret: credentials are named, never held. */
export const launchPlan = strict({
  backend: z.enum(BACKEND_KINDS),
  tool: z.string(),
  executable: z.string().nullish(),
  args: z.array(z.string()).default([]),
  working_directory: z.string().nullish(),
  home_selector: strict({ env_var: z.string().nullish(), home_path: z.string().nullish() }).nullish(),
  env_var_names: z.array(z.string()).default([]),
  role_injection: strict({ method: z.string(), role_name: z.string().nullish() }).nullish(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  mailbox: mailboxBinding.nullish(),
  launch_policy_provenance: z.record(z.string(), z.unknown()).nullish(),
});

export type LaunchPlan = z.infer<typeof launchPlan>;
export type MailboxBinding = z.infer<typeof mailboxBinding>;
