/**
 * Names from Houmao that its programs read: variables, backends, the local domain, services, headers. They are only here. Every
 * room may import them, because they load nothing else.
 */
export * from './names.ts';
export * from './variables.ts';
