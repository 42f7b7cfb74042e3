declare const ROUSE_VERSION: string | undefined;

/** The version of this program. The build fills it in. */
export const VERSION = typeof ROUSE_VERSION === 'string' ? ROUSE_VERSION : '0.0.0';
