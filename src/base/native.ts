import { loadNativePart } from './native-part.ts';

interface Koffi {
  load(library: null): { func(prototype: string): unknown };
  errno(): number;
}

let koffi: Koffi | undefined;

/**
 * A function of the C library, by its prototype. koffi is loaded on first use: most commands need none, and loading
 * costs milliseconds. Throws where it cannot be had.
 */
export function nativeFunction<F>(prototype: string): F {
  koffi ??= loadNativePart<Koffi>('koffi', (arch) => `@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`);
  return koffi.load(null).func(prototype) as F;
}

/** The error number of the native call that failed last. */
export function nativeErrno(): number {
  return koffi?.errno() ?? 0;
}
