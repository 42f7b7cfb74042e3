import { describe, it } from 'vitest';
import { filesystemStore } from './filesystem-store.ts';
import { proofSize } from './harness.ts';
import { proveStorm } from './storm.ts';

describe('the filesystem store under many processes', () => {
  const size = proofSize({
    short: { writers: 12, messages: 20, readers: 2, retryShare: 0.05 },
    full: { writers: 128, messages: 50, readers: 4, retryShare: 0.05 },
  });

  it(
    'the filesystem store under many processes loses, doubles and tears nothing and keeps the order of each writer',
    () => proveStorm(filesystemStore, size),
    600_000,
  );
});
