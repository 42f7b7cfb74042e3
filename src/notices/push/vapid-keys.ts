import * as path from 'node:path';
import {
  ensurePrivateDirectory,
  lockFile,
  readObjectIfAny,
  unavailable,
  writeJsonAtomic,
} from '../../base/index.ts';

/** What identifies this home to the push services. Made once: with other keys, browsers would have to turn it on again. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

const LOCK_MS = 5000;

/** In the private directory of the notices, 0600. */
const fileIn = (directory: string): string => path.join(directory, 'vapid.json');

/** Undefined before someone adds Web Push. */
export function readVapidKeys(directory: string): VapidKeys | undefined {
  const file = fileIn(directory);
  const found = readObjectIfAny(file);
  if (!found) return undefined;
  const { public_key: publicKey, private_key: privateKey } = found;
  if (typeof publicKey === 'string' && typeof privateKey === 'string') return { publicKey, privateKey };
  throw unavailable(`${file} is damaged`, {
    hint: 'remove it, and run "rouse notify add web-push"; then turn it on again in each browser',
  });
}

export async function ensureVapidKeys(directory: string): Promise<VapidKeys> {
  ensurePrivateDirectory(directory);
  const file = fileIn(directory);
  const lock = await lockFile(`${file}.lock`, { timeoutMs: LOCK_MS });
  try {
    const known = readVapidKeys(directory);
    if (known) return known;
    const { default: webPush } = await import('web-push');
    const made = webPush.generateVAPIDKeys();
    writeJsonAtomic(file, { schema_version: 1, public_key: made.publicKey, private_key: made.privateKey });
    return made;
  } finally {
    lock.release();
  }
}
