/**
 * The second entry point of mail: all transports, and what is known of each without opening it. A new transport is a
 * folder here that passes contract/, and a line below. Code that opens, binds, checks or shows a mailbox asks this
 * list.
 */
import * as z from 'zod';
import { conflict, unsupported } from '../base/index.ts';
import { flatfile } from './flatfile/transport.ts';
import { fleet } from './fleet/transport.ts';
import { filesystem } from './link/transport.ts';
import { stalwart } from './stalwart/transport.ts';
import type { MailboxBinding, MailTransport } from './transport.ts';

export type { MailboxBinding } from './transport.ts';

const known: MailTransport[] = [];
let schemas: Record<'binding' | 'published', z.ZodType<MailboxBinding>> | undefined;

registerTransport(filesystem);
registerTransport(stalwart);
registerTransport(flatfile);
registerTransport(fleet);

/** Adds a transport for the life of this process. Call the result to remove it. */
export function registerTransport(transport: MailTransport): () => void {
  if (transportNames().includes(transport.name))
    throw conflict(`there is already a mail transport "${transport.name}"`);
  known.push(transport);
  schemas = undefined;
  return () => {
    const at = known.indexOf(transport);
    if (at !== -1) known.splice(at, 1);
    schemas = undefined;
  };
}

/** The names of all transports, or of those that meet the condition. */
export function transportNames(having: (transport: MailTransport) => unknown = () => true): string[] {
  return known.filter(having).map(({ name }) => name);
}

export function transportNamed(name: unknown): MailTransport | undefined {
  return known.find((transport) => transport.name === name);
}

/** The transport of a path. Any path is a mail store unless another transport claims it. */
export function transportAt(place: string): MailTransport {
  return known.findLast(({ isAt }) => isAt?.(place)) ?? filesystem;
}

export function transportOf({ transport: name }: MailboxBinding): MailTransport {
  const transport = transportNamed(name);
  if (transport) return transport;
  throw unsupported(`there is no mail transport "${name}"`, {
    hint: `known transports: ${transportNames().join(', ')}`,
  });
}

/** The schemas of a binding of any listed transport: in the manifest, and as published in the registry. */
export function bindingSchemas(): Record<'binding' | 'published', z.ZodType<MailboxBinding>> {
  schemas ??= {
    binding: oneOf(known.map(({ binding }) => binding)),
    published: oneOf(known.map(({ binding, unpublished = [] }) => binding.omit(maskOf(unpublished)))),
  };
  return schemas;
}

/** Returns the binding as the registry publishes it. */
export function published(binding: MailboxBinding): MailboxBinding {
  const unpublished = transportNamed(binding.transport)?.unpublished ?? [];
  return Object.fromEntries(
    Object.entries(binding).filter(([field]) => !unpublished.includes(field)),
  ) as MailboxBinding;
}

function oneOf(options: z.ZodObject[]): z.ZodType<MailboxBinding> {
  const [first, ...rest] = options as [z.ZodObject, ...z.ZodObject[]];
  return z.discriminatedUnion('transport', [first, ...rest] as never);
}

function maskOf(fields: readonly string[]): Record<string, true> {
  return Object.fromEntries(fields.map((field) => [field, true]));
}
