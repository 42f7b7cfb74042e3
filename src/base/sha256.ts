/** Returns the SHA-256 of a text or bytes as lower-case hex. Loads `node:crypto` on first use, as few commands need it. */
export function sha256(content: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', content);
}
