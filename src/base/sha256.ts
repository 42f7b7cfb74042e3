/** SHA-256 of a text or bytes, as lowercase hex. `node:crypto` is loaded with the first: few commands need it. */
export function sha256(content: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', content);
}
