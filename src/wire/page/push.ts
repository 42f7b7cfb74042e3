import * as z from 'zod';
import { isPushEndpoint } from '../../domain/index.ts';
import { names } from '../../domain/schemas.ts';
import { about, integer, oneLine, stamp, strict } from '../fields.ts';
import { actionId } from './actions.ts';

export const pagePush = strict({
  public_key: about('For the browser; null before the owner adds Web Push.', z.string().nullable()),
  is_free: about('Whether one more browser may turn it on.', z.boolean()),
  devices: about(
    'Those of this person.',
    z.array(strict({ id: integer, name: z.string(), since_utc: stamp })),
  ),
});

/** Without padding, of this many bytes. */
const base64url = (bytes: number): z.ZodString =>
  z
    .string()
    .regex(/^[\w-]+$/, 'must be base64url')
    .length(Math.ceil((bytes * 4) / 3));

export const pagePushAddBody = strict({
  action_id: actionId,
  endpoint: names(
    'url',
    'push_service',
    z
      .string()
      .max(1000)
      .refine(isPushEndpoint, 'must be an https address of a known push service of a browser'),
  ),
  p256dh: about("The browser's public key.", base64url(65)),
  auth: base64url(16),
  name: about('What the browser calls itself, such as `Chrome on Android`.', oneLine.max(60)),
});
export const pagePushRemoveBody = strict({ action_id: actionId, id: integer.min(1) });

export type PagePush = z.infer<typeof pagePush>;
