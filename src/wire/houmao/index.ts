/**
 * Names that Houmao gave and its programs read: variables, backends, the local domain, services, headers. They stand here and nowhere
 * else; every room may enter, because nothing is loaded with them.
 */
export * from './backends.ts';
export * from './names.ts';
export * from './variables.ts';
