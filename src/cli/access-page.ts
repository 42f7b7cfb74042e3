import { CONFIG_KEYS } from '../config/check-file.ts';
import { TOOLS_OF } from '../mcp/tool-list.ts';
import { accessMarkdown, type FieldRow, fieldsOf, fileFields, routeFields } from '../wire/access.ts';

/** Every field of a route, a tool or a file that names a file, a directory, a command or a URL. */
export function allFields(): FieldRow[] {
  return [...routeFields(), ...toolFields(), ...fileFields(), ...configFields()];
}

function toolFields(): FieldRow[] {
  return Object.values(TOOLS_OF)
    .flat()
    .flatMap(({ name, input }) => fieldsOf(input, { of: 'mcp', id: name, place: `MCP ${name}` }));
}

/** The keys of `config.toml` and `.rouse.toml`. */
function configFields(): FieldRow[] {
  return CONFIG_KEYS.flatMap(({ key, names, own }) =>
    names === undefined
      ? []
      : [
          {
            ...{ of: 'config' as const, id: key, field: key, names },
            place: own ? 'config.toml' : 'config.toml, .rouse.toml',
            sender: own ? ('own_config' as const) : ('project' as const),
          },
        ],
  );
}

/** docs/access.md. */
export function accessPage(): string {
  return accessMarkdown(allFields());
}
