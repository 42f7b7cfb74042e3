import { type FieldRow, fieldsMarkdown } from './access/access-fields.ts';
import {
  type AccessRule,
  FLEET_ACCESS,
  FLEET_CALLERS,
  GATEWAY_ACCESS,
  GATEWAY_CALLERS,
} from './access-rules.ts';
import { CALLERS, CAPABILITIES, type Caller } from './capabilities.ts';
import { FLEET_ROUTES } from './fleet-routes.ts';
import type { Routes } from './route.ts';
import { GATEWAY_ROUTES } from './routes.ts';

/** docs/access.md; `rows` are the fields that name something. */
export function accessMarkdown(rows: readonly FieldRow[]): string {
  return [
    '# Who may call what',
    '',
    'Generated from the rules in `src/wire/access-rules.ts` and the routes that name them, by `node scripts/generate.mjs`. `test/fleet/access-matrix.test.ts` calls every route as',
    'every caller and compares; a route without a row fails it.',
    '',
    'Both servers, on loopback. ✓: the call is admitted. A number: the status of the refusal. Beyond loopback there is no owner',
    'without a token: a gateway requires its token on every route, also on `/health`; a fleet server leaves `/health`, `/ready` and',
    '`/openapi.json` open and requires a token for everything else. Where the kernel cannot be asked who connects, the owner sends',
    'a token that only that account can read, and every other account is a guest.',
    '',
    ...section('Gateway', GATEWAY_CALLERS, GATEWAY_ACCESS, GATEWAY_ROUTES),
    ...section('Fleet server', FLEET_CALLERS, FLEET_ACCESS, FLEET_ROUTES),
    ...capabilities(),
    ...fieldsMarkdown(rows),
  ].join('\n');
}

/** The part about what a body may ask for beyond its route. */
function capabilities(): string[] {
  const callers = Object.keys(CALLERS) as Caller[];
  const cells = (values: readonly string[]): string => `| ${values.join(' | ')} |`;
  return [
    '## What only some callers may ask of a gateway',
    '',
    'Checked for every route and field that can ask for it: keys in a reminder are keys (`src/wire/capabilities.ts`).',
    '',
    ...Object.entries(CALLERS).map(([name, meaning]) => `- **${name}**: ${meaning}`),
    '',
    cells(['', ...callers]),
    cells(['---', ...callers.map(() => '---')]),
    ...Object.values(CAPABILITIES).map(({ meaning, callers: allowed }) =>
      cells([
        meaning,
        ...callers.map((each) => ((allowed as readonly Caller[]).includes(each) ? '✓' : '403')),
      ]),
    ),
    '',
  ];
}

function section(
  title: string,
  callers: readonly (readonly [string, string])[],
  rules: Readonly<Record<string, AccessRule>>,
  routes: Routes,
): string[] {
  const names = callers.map(([name]) => name);
  const cells = (values: readonly string[]): string => `| ${values.join(' | ')} |`;
  const placesUnder = (name: string): string[] =>
    Object.values(routes)
      .filter(({ access }) => access === name)
      .map(({ method, path }) => `- \`${method} ${path}\``);
  return [
    `## ${title}`,
    '',
    ...callers.map(([name, meaning]) => `- **${name}**: ${meaning}`),
    '',
    ...Object.entries(rules).flatMap(([name, { meaning, outcomes }]) => [
      `### ${meaning}`,
      '',
      cells(names),
      cells(names.map(() => '---')),
      cells(outcomes.map((outcome) => (outcome === 'yes' ? '✓' : String(outcome)))),
      '',
      ...placesUnder(name),
      '',
    ]),
  ];
}

export { type FieldRow, fieldsOf, fileFields, routeFields } from './access/access-fields.ts';
