import * as z from 'zod';
import { BACKEND_KINDS } from '../../domain/index.ts';
import { bindingSchemas, type MailboxBinding } from '../../mail/transports.ts';
import { strict } from '../fields.ts';

/** Of any transport on the list at the time. */
function listed(schema: () => z.ZodType<MailboxBinding>) {
  return z.custom<MailboxBinding>().transform((value, context) => {
    const checked = schema().safeParse(value);
    if (checked.success) return checked.data;
    context.issues.push(...(checked.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  });
}

/** Which mailbox belongs to the session: `launch_plan.mailbox` of the manifest. */
const mailboxBinding = listed(() => bindingSchemas().binding);

/** The same as a registry record publishes it: enough to find the mailbox, not where its folder is. */
export const publishedMailbox = listed(() => bindingSchemas().published);

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

export type { MailboxBinding };
