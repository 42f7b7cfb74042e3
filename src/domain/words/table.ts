/**
 * A closed set is a table: one row per code, with the words for people and what follows from the code. Types, schemas,
 * SQL, flags and pages are made from it. A row that lacks a property does not compile.
 */
export type CodeOf<Table> = keyof Table & string;

/** The codes whose row has this property. */
export type CodeWith<Table, Property extends string> = {
  [Code in CodeOf<Table>]: Table[Code] extends Record<Property, true> ? Code : never;
}[CodeOf<Table>];

/** The codes in the order of the table. */
export const codesOf = <Table extends object>(table: Table): readonly CodeOf<Table>[] =>
  Object.keys(table) as CodeOf<Table>[];

export const codesWith = <Table extends object, Property extends string>(
  table: Table,
  property: Property,
): readonly CodeWith<Table, Property>[] =>
  Object.entries(table)
    .filter(([, row]) => (row as Record<string, unknown>)[property] === true)
    .map(([code]) => code as CodeWith<Table, Property>);

export const isCodeOf = <Table extends object>(table: Table, text: unknown): text is CodeOf<Table> =>
  typeof text === 'string' && Object.hasOwn(table, text);

/** Whether it is one of these. Accepts any value that another version may have stored. */
export const isAmong = <Code extends string>(codes: readonly Code[], value: string | null): value is Code =>
  (codes as readonly (string | null)[]).includes(value);

/** For `IN`. Our codes have only letters and underscores, so they need no escaping. */
export const sqlList = (codes: readonly string[]): string => `('${codes.join("', '")}')`;

/** A condition on a column. With one code it is `=`, because SQLite matches partial indexes by their text. */
export const sqlIs = (column: string, codes: readonly string[]): string =>
  codes.length === 1 ? `${column} = '${codes[0]}'` : `${column} IN ${sqlList(codes)}`;

/** "done, approved or rejected" */
export const anyOf = (codes: readonly string[]): string =>
  [codes.slice(0, -1).join(', '), codes.at(-1)].filter(Boolean).join(' or ');
