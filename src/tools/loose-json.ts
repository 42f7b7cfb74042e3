/** Parses JSON as people write it in settings, with comments and trailing commas. Undefined if it is not valid. */
export function looseJson(text: string): unknown {
  const bare = text.replace(
    /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, string: string | undefined) => string ?? ' ',
  );
  const plain = bare.replace(
    /("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g,
    (_, string: string | undefined) => string ?? '',
  );
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
