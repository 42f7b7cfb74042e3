declare const ROUSE_VERSION: string | undefined;

/** Of this program; the build writes it in. */
export const VERSION = typeof ROUSE_VERSION === 'string' ? ROUSE_VERSION : '0.0.0';
