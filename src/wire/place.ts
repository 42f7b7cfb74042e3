/** `ALL`: every method, for a protocol with its own rules. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'ALL';

/** Method and path of one route; parameters in braces: `GET /v1/reminders/{reminder_id}`. */
export type Place = `${Method} /${string}`;
export type Places = Readonly<Record<string, Place>>;

export type MethodOf<P extends Place> = P extends `${infer M extends Method} ${string}` ? M : never;
export type PathOf<P extends Place> = P extends `${Method} ${infer Path}` ? Path : never;

/** The parameter names of a path. */
export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

export function methodOf<P extends Place>(place: P): MethodOf<P> {
  return place.slice(0, place.indexOf(' ')) as MethodOf<P>;
}

export function pathOf<P extends Place>(place: P): PathOf<P> {
  return place.slice(place.indexOf(' ') + 1) as PathOf<P>;
}

/** The path with each parameter replaced by `write(name)`. */
export function fillPath(path: string, write: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => write(name));
}

type Prefixed<Prefix extends string, T> = { readonly [K in keyof T & string as `${Prefix}.${K}`]: T[K] };

/** The table with a prefix before each name: `get` is then `requests.get`. */
export function prefixed<Prefix extends string, T extends object>(
  prefix: Prefix,
  table: T,
): Prefixed<Prefix, T> {
  const renamed = Object.entries(table).map(([name, value]) => [`${prefix}.${name}`, value]);
  return Object.fromEntries(renamed) as Prefixed<Prefix, T>;
}

type Ends = Readonly<Record<string, `${Method} ${string}`>>;
type Below<Root extends string, E extends Ends> = {
  readonly [K in keyof E]: E[K] extends `${infer M extends Method} ${infer End}`
    ? `${M} ${Root}${End}`
    : never;
};

/** Places below one root, with a prefix to their names; `GET ` is the root itself. */
export function under<Prefix extends string, Root extends `/${string}`, const E extends Ends>(
  prefix: Prefix,
  root: Root,
  ends: E,
): Prefixed<Prefix, Below<Root, E>> {
  const places = Object.entries(ends).map(([name, end]) => [name, end.replace(' ', ` ${root}`)]);
  return prefixed(prefix, Object.fromEntries(places) as Below<Root, E>);
}
