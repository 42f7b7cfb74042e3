export type ForeignName = 'conformance' | 'redocly' | 'a2a';
export declare function foreignPath(name: ForeignName): string;
export declare function foreignModule(name: ForeignName, file: string): string;
