import * as z from 'zod';
import { BACKEND_KINDS } from '../../domain/index.ts';
import { bindingSchemas, type MailboxBinding } from '../../mail/transports.ts';
import { strict } from '../fields.ts';

/** A binding of any transport that is listed when it is parsed. */
function listed(schema: () => z.ZodType<MailboxBinding>) {
  return z.custom<MailboxBinding>().transform((value, context) => {
    const checked = schema().safeParse(value);
    if (checked.success) return checked.data;
    context.issues.push(...(checked.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  });
}

/** The mailbox of the session: `launch_plan.mailbox` of the manifest. */
const mailboxBinding = listed(() => bindingSchemas().binding);

/** The mailbox in a registry record: enough to find it, without the place of its folder. */
export const publishedMailbox = listed(() => bindingSchemas().published);

/** How the agent was started. It names credentials but contains no secret. */
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
